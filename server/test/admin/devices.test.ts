import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { closed, connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let other: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;
let groupId: string;
/** A device that is in the group and publishes. */
let pump: TestDevice;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  [tenant, other] = [await newTenant(server), await newTenant(server)];
  [admin, operator, viewer] = [
    await signIn(server, tenant),
    await signIn(server, tenant, "operator"),
    await signIn(server, tenant, "viewer"),
  ];
  const { groups, devices } = server.app;
  const memberUserIds = [operator.userId, viewer.userId];
  groupId = (await groups.createGroup(tenant.caller, { name: "Pump hall", memberUserIds })).id;
  pump = await enrollDevice(server, tenant);
  const { name, deviceTypeId } = await devices.getDevice(tenant.caller, pump.deviceId);
  await devices.replaceDevice(tenant.caller, pump.deviceId, { name, deviceTypeId, groupIds: [groupId] });
});
after(() => server.stop());

async function get(user: SignedIn, path: string) {
  const answer = await user.call("GET", path);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.json;
}

const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);

test("an admin adds, reads, changes and deletes a device; the entity tag guards the change", async () => {
  const made = await admin.call("POST", "/devices", { body: { id: "gate-1", name: "Gate", groupIds: [groupId] } });
  assert.deepEqual([made.status, made.json.id, made.headers.location], [201, "gate-1", "/api/admin/devices/gate-1"]);
  const read = await admin.call("GET", "/devices/gate-1");
  assert.deepEqual(read.json, made.json);
  const body = { name: "North gate", groupIds: [groupId] };
  const headers = { "if-match": read.headers.etag! };
  assert.equal((await admin.call("PUT", "/devices/gate-1", { body, headers })).json.name, "North gate");
  assert.equal((await admin.call("PUT", "/devices/gate-1", { body, headers })).status, 412);
  assert.equal(
    (await admin.call("POST", "/devices", { body: { id: "gate-1", name: "x" } })).json.error,
    "already_exists",
  );
  server.clock.advance(HOUR);
  assert.equal((await admin.call("DELETE", "/devices/gate-1")).json.error, "reauthentication_required");
  const fresh = await signIn(server, tenant);
  assert.equal((await fresh.call("DELETE", "/devices/gate-1")).status, 204);
  assert.equal((await fresh.call("GET", "/devices/gate-1")).status, 404);
});

test("devices are listed by filters that may be negated, sorted and paged", async () => {
  for (const id of ["a-2", "a-1"]) await admin.call("POST", "/devices", { body: { id, name: `Valve ${id}` } });
  assert.deepEqual(ids(await get(admin, "/devices")), ["a-1", "a-2", pump.deviceId]);
  assert.deepEqual(ids(await get(admin, "/devices?sort=-id&q=valve")), ["a-2", "a-1"]);
  assert.deepEqual(ids(await get(admin, "/devices?certificateState=active,expired")), [pump.deviceId]);
  assert.deepEqual(ids(await get(admin, "/devices?notCertificateState=active&sort=id&limit=1")), ["a-1"]);
  assert.deepEqual(ids(await get(admin, "/devices?groupId=none")), ["a-1", "a-2"]);
  assert.deepEqual(ids(await get(admin, `/devices?notGroupId=${groupId}&connectivity=never_seen`)), ["a-1", "a-2"]);
  assert.deepEqual(ids(await get(admin, `/devices?notDeviceTypeId=none`)), [pump.deviceId]);
  assert.deepEqual(ids(await get(admin, "/devices?seenFrom=2000-01-01T00:00:00Z")), []);
  assert.deepEqual(ids(await get(admin, "/devices?createdBefore=2000-01-01T00:00:00Z")), []);
  assert.deepEqual(ids(await get(admin, "/devices?createdFrom=2000-01-01T00:00:00Z&limit=1")), ["a-1"]);
  for (const query of ["sort=secret", "connectivity=gone", "connectivity=", "seenBefore=yesterday", "unknown=1"]) {
    const { status, json } = await admin.call("GET", `/devices?${query}`);
    assert.deepEqual([status, json.error], [400, "invalid_request"], query);
  }
});

test("operators and viewers see only the devices of their groups, with everything that belongs to them", async () => {
  await admin.call("POST", "/devices", { body: { id: "hidden", name: "Hidden" } });
  const below = ["", "/latest", "/rejected", "/timeline", `/series?${range()}`, `/readings?${range()}`];
  for (const user of [operator, viewer]) {
    assert.deepEqual(ids(await get(user, "/devices")), [pump.deviceId]);
    for (const path of below) {
      await get(user, `/devices/${pump.deviceId}${path}`);
      const { status, json } = await user.call("GET", `/devices/hidden${path}`);
      assert.deepEqual([status, json.error], [404, "not_found"], path);
    }
  }
  const foreign = await signIn(server, other);
  for (const path of below)
    assert.equal((await foreign.call("GET", `/devices/${pump.deviceId}${path}`)).status, 404, path);
});

test("a viewer changes nothing; an operator changes neither groups nor type, and neither adds nor deletes", async () => {
  const path = `/devices/${pump.deviceId}`;
  const { name, deviceTypeId, groupIds } = await get(admin, path);
  const same = { name, deviceTypeId, groupIds };
  assert.equal((await operator.call("PUT", path, { body: { ...same, name: "Renamed" } })).json.name, "Renamed");
  for (const [user, method, at, body] of [
    [viewer, "PUT", path, same],
    [operator, "PUT", path, { ...same, groupIds: [] }],
    [operator, "PUT", path, { ...same, deviceTypeId: null }],
    [operator, "POST", "/devices", { name: "x" }],
    [operator, "DELETE", path, undefined],
    [operator, "POST", `${path}/disconnect`, undefined],
  ] as const) {
    const { status, json } = await user.call(method, at, body === undefined ? {} : { body });
    assert.deepEqual([status, json.error], [403, "insufficient_role"], `${method} ${at}`);
  }
});

function range(): string {
  const [from, to] = [addMs(server.clock.now(), -HOUR), addMs(server.clock.now(), MINUTE)];
  return `metric=temperature&from=${from.toISOString()}&to=${to.toISOString()}`;
}

test("a device's messages are shown as latest values, a series, readings, and rejected messages", async () => {
  const client = await connectMqtt(server, pump);
  await client.publishAsync(pump.topic, '{"temperature": 21.5, "door": true}', { qos: 1 });
  server.clock.advance(1000);
  await client.publishAsync(pump.topic, '{"temperature": 22.5}', { qos: 1 });
  await client.publishAsync(pump.topic, "temperature=23", { qos: 1 });
  await client.endAsync();
  const path = `/devices/${pump.deviceId}`;
  const latest = await get(viewer, `${path}/latest`);
  assert.deepEqual(
    latest.items.map(({ metric, value }: { metric: string; value: unknown }) => [metric, value]),
    [
      ["door", true],
      ["temperature", 22.5],
    ],
  );
  const series = await get(viewer, `${path}/series?${range()}&bucketSeconds=3600`);
  const points: { min: number; max: number; count: number }[] = series.points;
  assert.deepEqual(
    points.map(({ min, max, count }) => [min, max, count]),
    [[21.5, 22.5, 2]],
  );
  const first = await get(viewer, `${path}/readings?${range()}&limit=1`);
  const second = await get(viewer, `${path}/readings?${range()}&limit=1&cursor=${first.next}`);
  assert.deepEqual([first.items[0].value, second.items[0].value, second.next], [22.5, 21.5, undefined]);
  const [rejected] = (await get(viewer, `${path}/rejected`)).items;
  assert.deepEqual([rejected.payload, rejected.payloadBytes], ["temperature=23", 14]);
  const invalid = await viewer.call("GET", `${path}/series?${range()}&buckets=5000`);
  assert.deepEqual([invalid.status, invalid.json.detail], [400, "buckets"]);
});

test("disconnecting a device closes its session, which the timeline shows, and leaves the certificate valid", async () => {
  const client = await connectMqtt(server, pump);
  const ended = closed(client);
  assert.equal((await admin.call("POST", `/devices/${pump.deviceId}/disconnect`)).status, 204);
  await ended;
  await server.app.connections.flush();
  const { connectivity } = await get(viewer, `/devices/${pump.deviceId}`);
  assert.deepEqual([connectivity.status, connectivity.reason], ["offline", "disconnected by an admin"]);
  await (await connectMqtt(server, pump)).endAsync();
  const { items } = await get(viewer, `/devices/${pump.deviceId}/timeline`);
  const kinds = items.map(({ kind }: { kind: string }) => kind);
  assert.equal(kinds.at(-1), "certificate.issued");
  assert.ok(kinds.includes("device.offline"), kinds.join());
  assert.equal((await admin.call("POST", "/devices/nowhere/disconnect")).status, 404);
});

test("the overview, the search, findings and refusals show only what the user may see", async () => {
  const { connections } = server.app;
  const { tenantId } = tenant.caller;
  for (const deviceId of [pump.deviceId, "hidden"])
    connections.recordRefusal({ reason: "no_chain", tenantId, deviceId, fingerprintSha256: "ab".repeat(32) });
  const refusals = await get(viewer, `/refusals?deviceId=${pump.deviceId}&reason=no_chain`);
  assert.deepEqual([refusals.total, refusals.items[0].reason], [1, "no_chain"]);
  assert.match(refusals.items[0].cure, /chain/);
  assert.deepEqual([(await get(viewer, "/refusals")).total, (await get(admin, "/refusals")).total], [1, 2]);
  assert.equal((await get(admin, `/refusals?fingerprintSha256=${"ab".repeat(32)}`)).total, 2);
  assert.ok((await get(viewer, "/refusals/symptoms")).items.length >= 6);

  await server.app.enrollment.issueBundle(tenant.caller, { deviceId: "hidden" });
  assert.equal((await get(admin, "/findings?kind=publishes_nowhere")).items[0].deviceId, "hidden");
  assert.equal((await get(viewer, "/findings?kind=publishes_nowhere")).total, 0);
  const [all, visible] = [await get(admin, "/overview"), await get(viewer, "/overview")];
  assert.deepEqual([all.devices.total, visible.devices.total], [4, 1]);
  assert.deepEqual([all.findings.publishes_nowhere, visible.findings.publishes_nowhere], [1, 0]);
  assert.deepEqual([all.openClaims, visible.openClaims], [0, null]);
  assert.deepEqual((await get(admin, "/search?q=hidden")).items, [{ kind: "device", id: "hidden", title: "Hidden" }]);
  assert.deepEqual((await get(viewer, "/search?q=hidden")).items, []);
});

test("an admin creates a claim, sees its code once, and revokes it; other users see no claim", async () => {
  const made = await admin.call("POST", "/claims", { body: { intendedName: "Pump 7", maxUses: 1 } });
  assert.equal(made.status, 201);
  const { claimCode, ...claim } = made.json;
  assert.match(claimCode, /^CLAIM-/);
  assert.deepEqual(await get(admin, `/claims/${claim.id}`), claim);
  assert.equal((await get(admin, "/claims?status=pending")).items[0].id, claim.id);
  assert.equal((await admin.call("DELETE", `/claims/${claim.id}`)).status, 204);
  assert.equal((await get(admin, `/claims/${claim.id}`)).status, "revoked");
  const refused = await admin.call("POST", "/claims", { body: { intendedName: "Pump 7", maxUses: 0 } });
  assert.equal(refused.json.error, "invalid_claim_request");
  for (const path of ["/claims", `/claims/${claim.id}`])
    assert.equal((await operator.call("GET", path)).json.error, "insufficient_role");
});
