import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, DAY, HOUR } from "../../../src/lib/clock.ts";
import { addAnomaly } from "../../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { publicApi } from "../../harness/http/public-api.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** The filters with which a program narrows anomalies and tickets. */
let server: TestServer;
let tenant: TestTenant;
let call: ReturnType<typeof publicApi>["call"];

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  ({ call } = publicApi(server, tenant));
});
after(() => server.stop());

const NOWHERE = "00000000-0000-7000-8000-000000000000";

/** Returns the ids in a list with these filters, with the total checked. */
async function found(operation: string, filters: Record<string, string>): Promise<string[]> {
  const { json } = await call(operation, { query: `?${new URLSearchParams(filters)}` });
  assert.equal(json.total, json.items.length);
  return json.items.map(({ id }: { id: string }) => id);
}

test("anomalies are filtered by the group and the type that their devices have now", async () => {
  const { devices, groups } = server.app;
  const { id: group } = await groups.createGroup(tenant.caller, { name: "Hall" });
  const where = { database: server.app.database, clock: server.clock };
  const ids: string[] = [];
  for (const more of [{ groupIds: [group] }, { deviceTypeId: tenant.deviceTypeId }]) {
    const { id } = await devices.createDevice(tenant.caller, { name: "Pump", ...more });
    ids.push(await addAnomaly(where, tenant.caller, id));
  }
  const [grouped, typed] = ids;
  const list = (filters: Record<string, string>) => found("listAnomalies", filters);
  assert.deepEqual(await list({ groupId: group }), [grouped]);
  assert.deepEqual(await list({ deviceTypeId: tenant.deviceTypeId }), [typed]);
  assert.deepEqual(await list({ deviceTypeId: tenant.deviceTypeId, groupId: group }), []);
  for (const name of ["groupId", "deviceTypeId"])
    for (const id of [NOWHERE, "no-uuid"]) assert.deepEqual(await list({ [name]: id }), []);
});

test("anomalies are filtered by their cause", async () => {
  const { devices, rules } = server.app;
  const where = { database: server.app.database, clock: server.clock };
  const wanted = { name: "Talker", publishTopics: [], silentForSeconds: 60 };
  const { id: deviceTypeId } = await devices.createDeviceType(tenant.caller, wanted);
  const { id: deviceId } = await devices.createDevice(tenant.caller, { name: "Pump", deviceTypeId });
  const broken = await addAnomaly(where, tenant.caller, deviceId);
  server.clock.advance(HOUR);
  await rules.pollSilence();
  const list = (filters: Record<string, string>) => found("listAnomalies", { deviceId, ...filters });
  assert.deepEqual(await list({ cause: "rule" }), [broken]);
  assert.deepEqual(await list({ cause: "renewal" }), []);
  const [silent, ...more] = await list({ cause: "silence" });
  assert.deepEqual(more, []);
  assert.deepEqual(await list({}), [silent, broken]);
});

test("anomalies are filtered by threshold pack, certificates by their expiry", async () => {
  const { anomalies, devices, enrollment } = server.app;
  const where = { database: server.app.database, clock: server.clock };
  const { id: deviceId } = await devices.createDevice(tenant.caller, { name: "Pump" });
  const first = await addAnomaly(where, tenant.caller, deviceId);
  await addAnomaly(where, tenant.caller, deviceId);
  const thresholdId = (await anomalies.getAnomaly(tenant.caller, first)).thresholdId!;
  assert.deepEqual(await found("listAnomalies", { thresholdId }), [first]);
  assert.deepEqual(await found("listAnomalies", { thresholdId: "no-uuid" }), []);

  const { id: certificate } = await enrollment.issueBundle(tenant.caller, { deviceId });
  const days = (count: number) => addMs(server.clock.now(), count * DAY).toISOString();
  const list = (filters: Record<string, string>) => found("listDeviceCertificates", filters);
  assert.deepEqual(await list({ expiresBefore: days(30) }), []);
  assert.deepEqual(await list({ expiresFrom: days(30), expiresBefore: days(366) }), [certificate]);
  assert.deepEqual(await list({ expiresBefore: days(366), status: "revoked" }), []);
});

test("tickets are filtered by priority, type, group and the time of their opening", async () => {
  const { groups, tickets } = server.app;
  const { id: groupId } = await groups.createGroup(tenant.caller, { name: "Mechanics" });
  const first = await tickets.openTicket(tenant.caller, { title: "Grease", priority: "high", groupId });
  server.clock.advance(HOUR);
  const between = server.clock.now().toISOString();
  server.clock.advance(HOUR);
  const second = await tickets.openTicket(tenant.caller, { title: "Inspect", type: "inspection" });
  const list = (filters: Record<string, string>) => found("listTickets", filters);
  assert.deepEqual(await list({ priority: "high" }), [first.id]);
  assert.deepEqual(await list({ type: "inspection" }), [second.id]);
  assert.deepEqual(await list({ groupId }), [first.id]);
  assert.deepEqual(await list({ from: between }), [second.id]);
  assert.deepEqual(await list({ to: between }), [first.id]);
  assert.deepEqual(await list({ from: between, priority: "high" }), []);
  assert.equal((await call("listTickets", { query: "?priority=none" })).status, 400);
});
