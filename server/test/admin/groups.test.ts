import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { DEFAULT_LIMITS } from "../../src/lib/limits/limits.ts";
import type { TestTenant } from "../harness/devices.ts";
import { PASSWORD, type SignedIn, signIn } from "../harness/sign-in.ts";
import { type NotificationEnvironment, startEnvironment } from "../notifications/environment.ts";

const LINKS_A_DAY = DEFAULT_LIMITS.confirmationsPerAddress;

let environment: NotificationEnvironment;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let otherAdmin: SignedIn;

before(async () => {
  environment = await startEnvironment();
  const { server, newTenant } = environment;
  tenant = await newTenant();
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  otherAdmin = await signIn(server, await newTenant());
});
after(() => environment.stop());

async function refused(answer: ReturnType<SignedIn["call"]>, status: number, code: string) {
  const { status: answered, json } = await answer;
  assert.deepEqual([answered, json.error], [status, code]);
  return json;
}

async function ok(answer: ReturnType<SignedIn["call"]>, status = 200) {
  const { status: answered, json, text } = await answer;
  assert.equal(answered, status, text);
  return json;
}

const newGroup = (body: object = {}) =>
  ok(admin.call("POST", "/groups", { body: { name: "Pump hall", ...body } }), 201);

test("a group is changed in part, and a change without effect keeps its version", async () => {
  const made = await newGroup({ description: "Pumps", escalation: [{ afterMinutes: 0, notify: "members" }] });
  const path = `/groups/${made.id}`;
  const before = await admin.call("GET", path);
  const headers = { "if-match": String(before.headers.etag) };
  const members = [operator.userId, admin.userId].sort();
  environment.server.clock.advance(MINUTE);
  const changed = await ok(
    admin.call("PATCH", path, {
      headers,
      body: { name: "Press hall", memberUserIds: members, pagesLostRenewals: true },
    }),
  );
  assert.deepEqual(
    [changed.name, changed.description, changed.memberUserIds, changed.escalation],
    ["Press hall", "Pumps", members, made.escalation],
  );
  assert.ok(changed.updatedAt > made.updatedAt);
  assert.deepEqual([made.pagesLostRenewals, changed.pagesLostRenewals], [false, true]);
  await refused(admin.call("PATCH", path, { headers, body: { name: "Late" } }), 412, "precondition_failed");
  environment.server.clock.advance(MINUTE);
  assert.deepEqual(await ok(admin.call("PATCH", path, { body: { memberUserIds: members } })), changed);
  assert.equal((await operator.call("GET", path)).status, 200, "a member sees the group");
  await ok(admin.call("PATCH", path, { body: { memberUserIds: [] } }));
  await refused(operator.call("GET", path), 404, "not_found");
  const { items } = await ok(admin.call("GET", `/audit/admin?target=${made.id}`));
  assert.deepEqual(
    items.map(({ act }: { act: string }) => act),
    ["group.update", "group.update", "group.create"],
  );
  assert.deepEqual([items[1].before.name, items[1].after.name], ["Pump hall", "Press hall"]);
});

test("an invalid change of a group is refused as a whole, and so is one without the right", async () => {
  const { id } = await newGroup();
  const foreign = otherAdmin.userId;
  const bodies = [
    { memberUserIds: [foreign] },
    { channels: [{ type: "webhook", target: "http://hooks.acme.example/" }] },
    {
      escalation: [
        { afterMinutes: 5, notify: "shift" },
        { afterMinutes: 5, notify: "members" },
      ],
    },
    { shiftIds: [] },
  ];
  for (const body of bodies)
    await refused(admin.call("PATCH", `/groups/${id}`, { body: { name: "No", ...body } }), 400, "invalid_request");
  assert.equal((await ok(admin.call("GET", `/groups/${id}`))).name, "Pump hall");
  for (const method of ["PATCH", "DELETE"]) {
    const options = method === "PATCH" ? { body: { name: "No" } } : {};
    await refused(otherAdmin.call(method, `/groups/${id}`, options), 404, "not_found");
    await refused(operator.call(method, `/groups/${id}`, options), 403, "insufficient_role");
  }
});

test("a group is deleted once no device is in it and no open claim names it", async () => {
  const { devices, enrollment } = environment.server.app;
  const { id } = await newGroup();
  const device = await devices.createDevice(tenant.caller, { name: "Pump", groupIds: [id] });
  const claim = await enrollment.createClaim(tenant.caller, { intendedName: "Pump", intendedGroupIds: [id] });
  const { devices: used, openClaims } = await refused(admin.call("DELETE", `/groups/${id}`), 409, "in_use");
  assert.deepEqual([used, openClaims], [1, 1]);
  await devices.changeDevice(tenant.caller, device.id, { removeGroupIds: [id] });
  await refused(admin.call("DELETE", `/groups/${id}`), 409, "in_use");
  await enrollment.revokeClaim(tenant.caller, claim.id);
  await ok(admin.call("DELETE", `/groups/${id}`), 204);
  await refused(admin.call("DELETE", `/groups/${id}`), 404, "not_found");
});

test("a shift is assigned to a group and removed again, and repeating either changes nothing", async () => {
  const { id } = await newGroup();
  const body = { name: "Days", timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const shift = await ok(admin.call("POST", "/shifts", { body }), 201);
  for (const repeated of [1, 2]) {
    const group = await ok(admin.call("POST", `/groups/${id}/shifts`, { body: { shiftId: shift.id } }));
    assert.deepEqual(group.shiftIds, [shift.id], `${repeated}`);
  }
  await refused(operator.call("DELETE", `/groups/${id}/shifts/${shift.id}`), 403, "insufficient_role");
  await refused(otherAdmin.call("DELETE", `/groups/${id}/shifts/${shift.id}`), 404, "not_found");
  for (const taken of [shift.id, shift.id, "no-such-shift"])
    await ok(admin.call("DELETE", `/groups/${id}/shifts/${taken}`), 204);
  assert.deepEqual((await ok(admin.call("GET", `/groups/${id}`))).shiftIds, []);
});

test("a channel shows the state of its confirmation, and keeps it when others are added", async () => {
  const { sinks, pass, server } = environment;
  const [hook, mail] = [sinks.hookUrl("/pumps"), `pumps@${tenant.slug}.example`];
  sinks.behave.echo = true;
  const { id } = await newGroup({ channels: [{ type: "webhook", target: hook }] });
  const states = async () =>
    (await ok(admin.call("GET", `/groups/${id}/channels`))).items.map(({ state }: { state: string }) => state);
  await pass(0);
  await sinks.until(() => sinks.linkTo(new URL(hook).pathname) !== undefined);
  await pass(0);
  assert.deepEqual(await states(), ["confirmed"]);
  const channels = [
    { type: "email", target: mail },
    { type: "webhook", target: hook },
  ];
  const changed = await ok(admin.call("PATCH", `/groups/${id}`, { body: { channels } }));
  assert.deepEqual(changed.unconfirmedChannels, [channels[0]]);
  await pass(0);
  assert.deepEqual(await states(), ["requested", "confirmed"]);
  server.clock.advance(72 * 60 * MINUTE);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  otherAdmin = await signIn(server, await environment.newTenant());
  assert.deepEqual(await states(), ["expired", "confirmed"]);
  const again = (who: SignedIn) => who.call("POST", `/groups/${id}/channels/confirmation`, { body: { target: mail } });
  await refused(again(operator), 403, "insufficient_role");
  // The service itself sends links every second. A channel certainly waits only once its links of the day are used up.
  for (const state of [...Array(LINKS_A_DAY).fill("requested"), "waiting"]) {
    assert.deepEqual(await ok(again(admin)), { confirmed: false });
    await pass(0);
    assert.deepEqual(await states(), [state, "confirmed"]);
  }
});

test("the secret of a webhook needs a step-up, and is not logged", async () => {
  const { server, sinks } = environment;
  const target = sinks.hookUrl("/secret");
  const { id } = await newGroup({ channels: [{ type: "webhook", target }] });
  const show = (who = admin) => who.call("POST", `/groups/${id}/webhook`, { body: { target } });
  server.clock.advance(11 * MINUTE);
  await refused(show(), 403, "reauthentication_required");
  await ok(admin.call("POST", "/session/step-up", { body: { password: PASSWORD } }), 204);
  const shown = await ok(show());
  assert.match(shown.secret, /^whsec_/);
  assert.equal(shown.disabled, false);
  for (const line of server.logs) assert.ok(!line.includes(shown.secret), "a secret in the log");
});

test("a test message is sent like a page, at most once per minute, and shows its outcome", async () => {
  const { server, sinks, pass } = environment;
  const { id } = await newGroup({ name: "Tested hall", memberUserIds: [operator.userId, admin.userId] });
  const send = (notify: string) => admin.call("POST", `/groups/${id}/test`, { body: { notify } });
  for (const notify of ["shift", "channels"]) await refused(send(notify), 400, "invalid_request");
  assert.deepEqual(await ok(send("members")), { recipients: 2, messages: 2 });
  const again = send("members");
  await refused(again, 429, "rate_limited");
  assert.equal((await again).headers["retry-after"], "60");
  await pass(0);
  const mail = sinks.mailsTo(operator.email).at(-1);
  assert.match(mail!.subject, /TEST: pages of Tested hall arrive here/);
  sinks.behave.mail = (to) => (to === operator.email ? { responseCode: 550 } : undefined);
  server.clock.advance(MINUTE);
  await ok(send("members"));
  await pass(0);
  sinks.behave.mail = () => undefined;
  const { items } = await ok(admin.call("GET", `/groups/${id}/tests`));
  const ofOperator = items.filter(({ target }: { target: string }) => target === operator.email);
  assert.deepEqual(
    ofOperator.map(({ state }: { state: string }) => state),
    ["failed", "sent"],
  );
  assert.match(ofOperator[0].error, /550/);
  await refused(operator.call("POST", `/groups/${id}/test`, { body: { notify: "members" } }), 403, "insufficient_role");
  await refused(otherAdmin.call("GET", `/groups/${id}/tests`), 404, "not_found");
});
