import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;
let otherAdmin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  [viewer, otherAdmin] = [await signIn(server, tenant, "viewer"), await signIn(server, await newTenant(server))];
});
after(() => server.stop());

const NIGHTS = {
  name: "Nights",
  timeZone: "Europe/Berlin",
  startTime: "22:00",
  endTime: "06:00",
  daysOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

async function refused(answer: ReturnType<SignedIn["call"]>, status: number, code: string): Promise<void> {
  const { status: answered, json } = await answer;
  assert.deepEqual([answered, json.error], [status, code]);
}

async function ok(answer: ReturnType<SignedIn["call"]>, status = 200) {
  const { status: answered, json, text } = await answer;
  assert.equal(answered, status, text);
  return json;
}

/** A group of the operator whose escalation pages the shift. */
async function groupOf(...memberUserIds: string[]) {
  const escalation = [{ afterMinutes: 0, notify: "shift" }];
  return await ok(admin.call("POST", "/groups", { body: { name: "Pump hall", memberUserIds, escalation } }), 201);
}

test("an operator creates, changes and deletes a shift; a viewer sees it", async () => {
  const body = { ...NIGHTS, userIds: [operator.userId], validFrom: "2026-11-01", validUntil: null };
  const made = await ok(operator.call("POST", "/shifts", { body }), 201);
  assert.deepEqual([made.validFrom, made.validUntil, made.userIds], ["2026-11-01", null, [operator.userId]]);
  const path = `/shifts/${made.id}`;
  const { headers } = await operator.call("GET", path);
  const change = { endTime: "07:00", validFrom: null, userIds: [viewer.userId] };
  const condition = { "if-match": String(headers.etag) };
  const changed = await ok(operator.call("PATCH", path, { headers: condition, body: change }));
  assert.deepEqual(changed, { ...made, ...change, onDuty: changed.onDuty });
  await refused(operator.call("PATCH", path, { headers: condition, body: change }), 412, "precondition_failed");
  assert.deepEqual((await ok(viewer.call("GET", path))).userIds, [viewer.userId]);
  for (const bad of [{ timeZone: "Mars/Olympus" }, { userIds: [otherAdmin.userId] }, { validUntil: "2026-02-30" }])
    await refused(operator.call("PATCH", path, { body: bad }), 400, "invalid_request");
  await refused(viewer.call("PATCH", path, { body: change }), 403, "insufficient_role");
  await refused(otherAdmin.call("PATCH", path, { body: change }), 404, "not_found");
  await refused(viewer.call("DELETE", path), 403, "insufficient_role");
  await ok(operator.call("DELETE", path), 204);
  await refused(operator.call("DELETE", path), 404, "not_found");
  const { items } = await ok(admin.call("GET", `/audit/admin?target=${made.id}`));
  assert.deepEqual(
    items.map(({ act }: { act: string }) => act),
    ["shift.delete", "shift.update", "shift.create"],
  );
});

test("an operator cannot change the shifts of groups that they are not in", async () => {
  const theirs = await ok(admin.call("POST", "/shifts", { body: NIGHTS }), 201);
  const group = await groupOf(viewer.userId);
  await ok(admin.call("POST", `/groups/${group.id}/shifts`, { body: { shiftId: theirs.id } }));
  await refused(operator.call("PATCH", `/shifts/${theirs.id}`, { body: { name: "Mine" } }), 404, "not_found");
  await refused(operator.call("DELETE", `/shifts/${theirs.id}`), 404, "not_found");
  const seen = await ok(operator.call("GET", "/shifts"));
  assert.ok(seen.items.every(({ id }: { id: string }) => id !== theirs.id));
  assert.equal((await viewer.call("GET", `/shifts/${theirs.id}`)).status, 200);
});

test("on-call shows the week's duties and the hours without a recipient, also after the shift changes", async () => {
  const group = await groupOf(operator.userId);
  const shift = await ok(admin.call("POST", "/shifts", { body: { ...NIGHTS, userIds: [operator.userId] } }), 201);
  await ok(admin.call("POST", `/groups/${group.id}/shifts`, { body: { shiftId: shift.id } }));
  const device = await server.app.devices.createDevice(tenant.caller, { name: "Pump", groupIds: [group.id] });
  const uncovered = async () => {
    const { gaps } = await ok(operator.call("GET", `/groups/${group.id}/on-call`));
    const lasts = gaps.map(({ from, to }: { from: string; to: string }) => Date.parse(to) - Date.parse(from));
    return lasts.reduce((sum: number, ms: number) => sum + ms, 0) / HOUR;
  };
  assert.equal(await uncovered(), 7 * 16);
  const coverage = await ok(operator.call("GET", "/coverage"));
  assert.deepEqual(
    coverage.items.map(({ groupId, hours }: { groupId: string; hours: number }) => [groupId, hours]),
    [[group.id, 7 * 16]],
  );
  const ofDevice = await ok(operator.call("GET", `/devices/${device.id}/on-call`));
  assert.equal(ofDevice.duties[0].users[0].email, operator.email);
  await ok(operator.call("PATCH", `/shifts/${shift.id}`, { body: { startTime: "00:00", endTime: "00:00" } }));
  assert.equal(await uncovered(), 0);
  assert.deepEqual((await ok(operator.call("GET", "/coverage"))).items, []);
  await refused(viewer.call("GET", `/groups/${group.id}/on-call`), 404, "not_found");
  await refused(otherAdmin.call("GET", `/devices/${device.id}/on-call`), 404, "not_found");
});

test("everyone finds exactly the active people of the tenant by address", async () => {
  const { items, total } = await ok(viewer.call("GET", `/people?q=${operator.email.toUpperCase()}`));
  assert.deepEqual([items, total], [[{ id: operator.userId, email: operator.email, name: null, role: "operator" }], 1]);
  assert.equal((await ok(otherAdmin.call("GET", `/people?q=${operator.email}`))).total, 0);
  const left = await signIn(server, tenant, "viewer");
  await server.app.access.deactivateUser(tenant.caller, left.email);
  assert.equal((await ok(viewer.call("GET", `/people?q=${left.email}`))).total, 0);
});

test("shifts are filtered by group, and found by a part of their name", async () => {
  const { id: group } = await groupOf(operator.userId);
  const { id: other } = await groupOf();
  const add = async (name: string, ...groups: string[]) => {
    const { id } = await ok(admin.call("POST", "/shifts", { body: { ...NIGHTS, name } }), 201);
    for (const each of groups) await ok(admin.call("POST", `/groups/${each}/shifts`, { body: { shiftId: id } }));
  };
  await add("Hall by day", group);
  await add("Hall by night", group, other);
  await add("Office by day", other);
  await add("Hall on Sundays");
  const named = async (query: string, user = admin) => {
    const { items, total } = await ok(user.call("GET", `/shifts?${query}`));
    assert.equal(total, items.length);
    return items.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await named(`groupId=${group}`), ["Hall by night", "Hall by day"]);
  assert.deepEqual(await named(`groupId=${group}&q=DAY`), ["Hall by day"]);
  assert.deepEqual(await named(`groupId=${other}`), ["Office by day", "Hall by night"]);
  assert.deepEqual(await named(`groupId=${other}`, operator), ["Hall by night"], "a shift that the operator sees");
  assert.deepEqual(await named("groupId=nonsense"), []);
  const foreign = await otherAdmin.call("GET", `/shifts?groupId=${group}`);
  assert.deepEqual(foreign.json.items, []);
});
