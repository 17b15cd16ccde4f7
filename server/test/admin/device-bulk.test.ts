import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { closed, connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let other: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let groupId: string;
let packId: string;

before(async () => {
  server = await startServer();
  [tenant, other] = [await newTenant(server), await newTenant(server)];
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  const { groups, rules } = server.app;
  groupId = (await groups.createGroup(tenant.caller, { name: "Hall", memberUserIds: [operator.userId] })).id;
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  packId = (await rules.createThreshold(tenant.caller, { name: "Bearings", rules: [rule] })).id;
});
after(() => server.stop());

let made = 0;

/** Returns the ids of new devices, with or without the group. */
async function addDevices(count: number, groupIds: string[] = [], of = tenant): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `bulk-${++made}`);
  for (const id of ids) await server.app.devices.createDevice(of.caller, { id, name: id, groupIds });
  return ids;
}

const bulk = (user: SignedIn, body: object, headers: Record<string, string> = {}) =>
  user.call("POST", "/devices/bulk", { body, headers });

const deviceOf = (id: string) => server.app.devices.getDevice(tenant.caller, id);

/** Returns the audit actions on a record, oldest first. */
async function actsOn(target: string): Promise<string[]> {
  const { items } = await server.app.access.listAdminActs(tenant.caller, { target, skip: 0, limit: 50 });
  return items.map(({ act }) => act).reverse();
}

test("type, groups and packs of many devices are changed, omitted fields stay, and each device is in the audit", async () => {
  const ids = await addDevices(3);
  const change = { deviceTypeId: tenant.deviceTypeId, addGroupIds: [groupId], addThresholdIds: [packId] };
  const answer = await bulk(admin, { ids: [...ids, ids[0]], act: "change", change });
  assert.deepEqual([answer.status, answer.json.done, answer.json.refused], [200, 3, 0], answer.text);
  for (const id of ids) {
    const { deviceTypeId, groupIds, thresholdIds, name } = await deviceOf(id);
    assert.deepEqual([deviceTypeId, groupIds, thresholdIds, name], [tenant.deviceTypeId, [groupId], [packId], id]);
    assert.deepEqual(await actsOn(id), ["device.create", "device.update"]);
  }
  await bulk(admin, { ids, act: "change", change: { removeGroupIds: [groupId] } });
  const { deviceTypeId, groupIds } = await deviceOf(ids[0]!);
  assert.deepEqual([deviceTypeId, groupIds], [tenant.deviceTypeId, []]);
});

test("a refused device does not stop the others, and the answer names it and the reason", async () => {
  const [first, last] = await addDevices(2);
  const [theirs] = await addDevices(1, [], other);
  const ids = [first, "unknown", theirs, last];
  const { status, json } = await bulk(admin, { ids, act: "change", change: { deviceTypeId: tenant.deviceTypeId } });
  assert.deepEqual([status, json.done, json.refused, json.notTried], [200, 2, 2, 0]);
  const refused = { outcome: "refused", error: "not_found", message: "There is no such device." };
  assert.deepEqual(json.items.slice(1, 3), [
    { id: "unknown", ...refused },
    { id: theirs, ...refused },
  ]);
  assert.equal((await deviceOf(last!)).deviceTypeId, tenant.deviceTypeId);
  const nowhere = "00000000-0000-7000-8000-000000000001";
  const { json: unknown } = await bulk(admin, { ids: [first], act: "change", change: { deviceTypeId: nowhere } });
  assert.deepEqual([unknown.items[0].error, unknown.done], ["invalid_request", 0]);
});

test("an operator changes packs of visible devices, but not groups or types, and neither revokes nor deletes", async () => {
  const [seen] = await addDevices(1, [groupId]);
  const [hidden] = await addDevices(1);
  const packs = await bulk(operator, { ids: [seen, hidden], act: "change", change: { addThresholdIds: [packId] } });
  assert.deepEqual(
    packs.json.items.map(({ outcome, error }: { outcome: string; error: string }) => [outcome, error]),
    [
      ["done", null],
      ["refused", "not_found"],
    ],
  );
  for (const body of [
    { act: "change", change: { addGroupIds: [groupId] } },
    { act: "change", change: { removeGroupIds: [groupId] } },
    { act: "change", change: { deviceTypeId: null } },
    { act: "revoke_certificates" },
    { act: "delete" },
  ]) {
    const { status, json } = await bulk(operator, { ids: [seen], ...body });
    assert.deepEqual([status, json.error], [403, "insufficient_role"], JSON.stringify(body));
  }
  assert.deepEqual(await actsOn(seen!), ["device.create", "device.update"]);
});

test("deleting many closes their sessions before it answers and needs a step-up, as revoking does", async () => {
  const pumps = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  const ids = pumps.map(({ deviceId }) => deviceId);
  const clients = [];
  for (const pump of pumps) clients.push(await connectMqtt(server, pump));
  server.clock.advance(11 * MINUTE);
  for (const act of ["delete", "revoke_certificates"])
    assert.equal((await bulk(admin, { ids, act })).json.error, "reauthentication_required");
  const fresh = await signIn(server, tenant);
  const ended = clients.map(closed);
  const revoked = await bulk(fresh, { ids: [ids[0]], act: "revoke_certificates" });
  assert.equal(revoked.json.done, 1, revoked.text);
  const { json } = await bulk(fresh, { ids, act: "delete" });
  assert.deepEqual([json.done, json.refused], [2, 0]);
  await Promise.all(ended);
  for (const id of ids) assert.equal((await fresh.call("GET", `/devices/${id}`)).status, 404);
  assert.deepEqual((await actsOn(ids[0]!)).slice(-2), ["device.revoke-certificates", "device.delete"]);
});

test("a request for many devices stops when its user is deactivated or changes role", async () => {
  const { access, enrollment } = server.app;
  const [gone, demoted] = [await signIn(server, tenant), await signIn(server, tenant)];
  await access.deactivateUser(tenant.caller, gone.email);
  await access.changeUser(tenant.caller, demoted.userId, { role: "operator" });
  const ids = await addDevices(2);
  for (const { userId } of [gone, demoted]) {
    // Simulates a request that began earlier.
    const caller = {
      ...tenant.caller,
      actor: `user:${userId}`,
      rights: { kind: "user", userId, role: "admin" },
    } as const;
    const outcomes = await enrollment.changeDevices(caller, { ids, act: "delete" });
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["not_tried", "not_tried"],
    );
  }
  for (const id of ids) await deviceOf(id);
});

test("a repetition under an Idempotency-Key gets the first answer and changes nothing", async () => {
  const ids = await addDevices(2);
  const headers = { "idempotency-key": "bulk-once" };
  const change = { addThresholdIds: [packId] };
  const first = await bulk(admin, { ids, act: "change", change }, headers);
  await bulk(admin, { ids, act: "change", change: { removeThresholdIds: [packId] } });
  const again = await bulk(admin, { ids, act: "change", change }, headers);
  assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
  assert.deepEqual((await deviceOf(ids[0]!)).thresholdIds, []);
});

test("a request is refused that names no device or too many, or has a change where it must not, or lacks one", async () => {
  const many = Array.from({ length: 501 }, (_, n) => `d-${n}`);
  const fresh = await signIn(server, tenant);
  for (const body of [
    { ids: [], act: "delete" },
    { ids: many, act: "change", change: {} },
    { ids: ["a"], act: "change" },
    { ids: ["a"], act: "delete", change: {} },
    { ids: ["a"], act: "explode" },
  ])
    assert.equal((await bulk(fresh, body)).json.error, "invalid_request", JSON.stringify(body).slice(0, 80));
});
