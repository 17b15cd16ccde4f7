import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, HOUR } from "../../src/lib/clock.ts";
import { QUOTA_NAMES } from "../../src/lib/limits/limits.ts";
import { newKey, newTenant, redeem, redemption, type TestTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startShell, type TestShell } from "../harness/processes/shell.ts";
import type { TestServer } from "../harness/server.ts";

let shell: TestShell;
let server: TestServer;
before(async () => {
  shell = await startShell({ MUSTER_LIMIT_DEVICE_TYPES: "3" });
  ({ server } = shell);
});
after(() => shell.stop());

const HOOK = "https://hooks.example.com/x";

/** Ways to add one of each, and the expected message. */
function additions({ caller, admin }: TestTenant): Record<string, [add: () => Promise<unknown>, of: RegExp]> {
  const { access, connections, devices, enrollment, groups, notifications, rules } = server.app;
  let n = 0;
  const fresh = () => `x${++n}`;
  const rule = { metric: "t", operator: "gt", value: 1, severity: "major" } as const;
  const days = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const channels = [{ type: "email", target: "a@example.com" }] as const;
  return {
    devices: [() => devices.createDevice(caller, { name: "x" }), /devices that are not deleted/],
    deviceTypes: [() => devices.createDeviceType(caller, { name: "x", publishTopics: [] }), /device types/],
    thresholds: [() => rules.createThreshold(caller, { name: "x", rules: [rule] }), /threshold packs/],
    rules: [() => rules.createThreshold(caller, { name: "x", rules: [rule] }), /rules of all threshold packs/],
    groups: [() => groups.createGroup(caller, { name: "x" }), /groups/],
    channels: [() => groups.createGroup(caller, { name: "x", channels }), /channels of all groups/],
    integrations: [
      () => notifications.createIntegration(caller, { type: "slack", name: "x", settings: { webhookUrl: HOOK } }),
      /chat and paging services/,
    ],
    maintenanceWindows: [
      () => notifications.createWindow(caller, { name: "x", covers: "all", endsAt: addMs(server.clock.now(), HOUR) }),
      /maintenance windows/,
    ],
    shifts: [() => groups.createShift(caller, { name: "x", ...days }), /shifts/],
    users: [
      () => access.createUser(caller, { email: `${fresh()}@${caller.tenantSlug}.example`, role: "viewer" }),
      /users/,
    ],
    apiKeys: [() => access.createKey(caller, { user: admin.email, name: "x", scopes: ["devices:read"] }), /API keys/],
    mqttClients: [
      () =>
        connections.createMqttClient(caller, {
          clientId: `${caller.tenantSlug}-${fresh()}`,
          username: `${caller.tenantSlug}${n}`,
        }),
      /MQTT clients/,
    ],
    openClaims: [() => enrollment.createClaim(caller, { intendedName: "x" }), /claims that can still be redeemed/],
  };
}

test("each quota refuses the first addition beyond it with its name, its value and the remedy", async () => {
  const tenant = await newTenant(server);
  const { access } = server.app;
  const covered = additions(tenant);
  assert.deepEqual(Object.keys(covered).sort(), QUOTA_NAMES.filter((name) => !name.endsWith("PerMinute")).sort());
  for (const [quota, [add, of]] of Object.entries(covered)) {
    const before = await access.setQuota(tenant.caller, quota, undefined);
    const { limit } = await access.setQuota(tenant.caller, quota, before.used + 1);
    await add();
    const refused = await add().then(
      () => assert.fail(`${quota} was exceeded`),
      (error) => error,
    );
    assert.equal(refused.code, "quota_exceeded", quota);
    assert.match(refused.message, of);
    assert.match(refused.message, new RegExp(`its quota ${quota} allows ${limit}\\. .*muster tenant quota`));
    assert.deepEqual(refused.extra, { quota, limit });
    await access.setQuota(tenant.caller, quota, undefined);
    await add();
  }
});

test("a quota of one tenant refuses no other tenant", async () => {
  const [one, other] = [await newTenant(server), await newTenant(server)];
  await server.app.access.setQuota(one.caller, "groups", 0);
  await assert.rejects(server.app.groups.createGroup(one.caller, { name: "x" }), { code: "quota_exceeded" });
  await server.app.groups.createGroup(other.caller, { name: "x" });
});

test("ended records make room: expired claims, revoked keys, deleted users and devices", async () => {
  const tenant = await newTenant(server);
  const { access, devices, enrollment } = server.app;
  const { caller, admin } = tenant;
  for (const quota of ["devices", "openClaims", "apiKeys"]) await access.setQuota(caller, quota, 1);
  await access.setQuota(caller, "users", 2);
  const key = { user: admin.email, name: "x", scopes: ["devices:read"] };
  const user = { email: `b@${tenant.slug}.example`, role: "viewer" } as const;

  const device = await devices.createDevice(caller, { name: "x" });
  await enrollment.deleteDevice(caller, device.id);
  await devices.createDevice(caller, { name: "x" });
  await access.revokeKey(caller, (await access.createKey(caller, key)).id);
  await access.createKey(caller, key);
  await access.createUser(caller, user);
  await access.deleteUser(caller, user.email);
  await access.createUser(caller, user);
  await enrollment.createClaim(caller, { intendedName: "x", expiresInMinutes: 5 });
  await assert.rejects(enrollment.createClaim(caller, { intendedName: "x" }), { code: "quota_exceeded" });
  server.clock.advance(5 * 60_000);
  await enrollment.createClaim(caller, { intendedName: "x" });
});

test("a change of a threshold pack counts the added rules", async () => {
  const { caller } = await newTenant(server);
  const rule = (value: number) => ({ metric: "t", operator: "gt", value, severity: "major" }) as const;
  await server.app.access.setQuota(caller, "rules", 3);
  const pack = await server.app.rules.createThreshold(caller, { name: "x", rules: [rule(1), rule(2)] });
  await server.app.rules.updateThreshold(caller, pack.id, { rules: [1, 2, 3].map(rule) });
  const more = server.app.rules.updateThreshold(caller, pack.id, { rules: [1, 2, 3, 4].map(rule) });
  await assert.rejects(more, { code: "quota_exceeded" });
  await server.app.rules.updateThreshold(caller, pack.id, { rules: [rule(9)] });
});

test("a redemption beyond the device quota is 409, uses up nothing, and an existing device enrolls again", async () => {
  const tenant = await newTenant(server);
  const { caller } = tenant;
  const claim = await server.app.enrollment.createClaim(caller, { intendedName: "x", maxUses: 3 });
  const { key, body } = await redemption(claim.claimCode);
  const first = await redeem(server, body);
  await server.app.access.setQuota(caller, "devices", 1);
  const refused = await redeem(server, (await redemption(claim.claimCode)).body);
  assert.deepEqual(
    [refused.status, refused.json.error, refused.json.quota, refused.json.limit],
    [409, "quota_exceeded", "devices", 1],
  );
  assert.equal((await server.app.enrollment.getClaim(caller, claim.id)).usedCount, 1);
  assert.ok(server.logs.some((line) => line.includes(tenant.caller.tenantId) && line.includes("reached a quota")));

  const { clientCert, clientCertChain } = first.json.mqtt;
  const again = await redeem(server, body, { key, fullchain: clientCert + clientCertChain });
  assert.equal(again.status, 200, again.text);
});

test("tickets beyond the rate are 429 with the seconds until one more is admitted", async () => {
  const tenant = await newTenant(server);
  await server.app.access.setQuota(tenant.caller, "ticketsPerMinute", 2);
  const headers = { "x-api-key": await newKey(server, tenant, "tickets:write") };
  const open = () =>
    https(`${server.httpUrl}/api/v1/tickets`, { ca: server.ca, method: "POST", headers, body: { title: "x" } });
  assert.equal((await open()).status, 201);
  server.clock.advance(15_000);
  assert.equal((await open()).status, 201);
  const refused = await open();
  assert.deepEqual([refused.status, refused.json.error, refused.headers["retry-after"]], [429, "rate_limited", "45"]);
  server.clock.advance(45_000);
  assert.equal((await open()).status, 201);
});

test("the shell sets a quota, resets it to the default, and shows counts beside quotas", async () => {
  const tenant = await newTenant(server);
  await server.app.groups.createGroup(tenant.caller, { name: "x" });
  const set = await shell.json("tenant", "quota", tenant.slug, "groups", "5");
  assert.deepEqual([set.slug, set.quota, set.used, set.limit, set.own], [tenant.slug, "groups", 1, 5, true]);
  const usage = async () => (await shell.json("tenant", "usage", tenant.slug)).items;
  const listed = Object.fromEntries((await usage()).map((item: { quota: string }) => [item.quota, item]));
  assert.deepEqual(Object.keys(listed).sort(), [...QUOTA_NAMES].sort());
  assert.deepEqual([listed.groups.used, listed.groups.limit, listed.groups.own], [1, 5, true]);
  assert.deepEqual([listed.deviceTypes.used, listed.deviceTypes.limit, listed.deviceTypes.own], [1, 3, false]);
  assert.deepEqual([listed.users.used, listed.openClaims.used], [1, 0]);

  const { stdout } = await shell.muster(["tenant", "usage", tenant.slug]);
  assert.match(stdout, /^QUOTA +USED +LIMIT +COUNTS\n[\s\S]*^groups +1 of 5 +own +groups$/m);
  assert.match(stdout, /^deviceTypes +1 of 3 +default +device types$/m);
  const reset = await shell.muster(["tenant", "quota", tenant.slug, "groups", "default"]);
  assert.match(reset.stdout, /^Quota groups of \S+: 10000 \(default\); in use: 1\.$/m);
  assert.match(
    await shell.refused("tenant", "quota", tenant.slug, "gruops", "5"),
    /Unknown quota gruops\. Quotas: devices, /,
  );
  assert.match(await shell.refused("tenant", "quota", tenant.slug, "groups", "-1"), /from 0 to/);
  for (const value of ["x", "1.5", "-x", ""]) {
    const { stdout, stderr, code } = await shell.muster(["tenant", "quota", tenant.slug, "groups", "--", value]);
    assert.deepEqual([stdout, code], ["", 2], value);
    assert.match(stderr, /^error: .*'value'\. Use a whole number, or default\.$/m, value);
  }
});

test("the variable of a quota sets it for every tenant without its own value", async () => {
  const tenant = await newTenant(server);
  const add = () => server.app.devices.createDeviceType(tenant.caller, { name: "x", publishTopics: [] });
  await add();
  await add();
  await assert.rejects(add(), { code: "quota_exceeded", message: /deviceTypes allows 3/ });
});

test("metrics show the highest usage of each quota, and count refusals by quota", async () => {
  const tenant = await newTenant(server);
  await server.app.access.setQuota(tenant.caller, "shifts", 0);
  await server.app.access.setQuota(tenant.caller, "deviceTypes", 1);
  const days = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  await assert.rejects(server.app.groups.createShift(tenant.caller, { name: "x", ...days }));
  server.clock.advance(5 * 60_000);
  const text = await (await fetch(server.app.api.metricsUrl)).text();
  const lines = text.split("\n").filter((line) => line.startsWith("muster_quota_"));
  assert.ok(
    lines.some((line) => /^muster_quota_refusals_total\{quota="shifts"\} [1-9]/.test(line)),
    lines.join("\n"),
  );
  assert.ok(lines.includes('muster_quota_used_ratio{quota="deviceTypes"} 1'), lines.join("\n"));
  assert.equal(lines.filter((line) => line.startsWith("muster_quota_used_ratio{")).length, QUOTA_NAMES.length);
});
