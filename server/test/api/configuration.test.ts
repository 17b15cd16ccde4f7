import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, HOUR } from "../../src/lib/clock.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { assertRefused, OPERATIONS, publicApi } from "../harness/http/public-api.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** Records that configure a tenant: created, changed under If-Match, found by their external id, and deleted. */
let server: TestServer;
let tenant: TestTenant;
let call: ReturnType<typeof publicApi>["call"];
let answered: ReadonlySet<string>;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  ({ call, answered } = publicApi(server, tenant));
});
after(() => server.stop());

const RULE = { metric: "temperature", operator: "gt", value: 90, severity: "major" };
const TIMES = {
  timeZone: "UTC",
  startTime: "00:00",
  endTime: "00:00",
  daysOfWeek: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
};

/** Each kind of record: how it is created, and its operations. */
const KINDS = [
  { kind: "DeviceType", body: { name: "Pump", publishTopics: ["telemetry/{deviceId}"] } },
  { kind: "Threshold", body: { name: "Bearings", rules: [RULE] } },
  { kind: "Group", body: { name: "Pump hall" } },
  { kind: "Shift", body: { name: "Always", ...TIMES } },
];

for (const { kind, body } of KINDS)
  test(`${kind}: an external id is unique, a change needs the present ETag, and a deleted record is gone`, async () => {
    const externalId = `plant/${kind}`;
    const { json: made } = await call(`create${kind}`, { body: { ...body, externalId } });
    assert.equal(made.externalId, externalId);
    assertRefused(await call(`create${kind}`, { body: { ...body, externalId } }), 409, "already_exists");
    const { json: other } = await call(`create${kind}`, { body });
    assert.equal(other.externalId, null);
    const taken = await call(`update${kind}`, { id: other.id, body: { externalId } });
    assertRefused(taken, 409, "already_exists");
    assert.equal(taken.json.detail, externalId);

    const { headers: read } = await call(`get${kind}`, { id: made.id });
    const headers = { "if-match": String(read.etag) };
    server.clock.advance(1);
    const changed = await call(`update${kind}`, { id: made.id, body: { name: "Renamed" }, headers });
    assert.deepEqual([changed.json.name, changed.json.externalId], ["Renamed", externalId]);
    assertRefused(
      await call(`update${kind}`, { id: made.id, body: { name: "Again" }, headers }),
      412,
      "precondition_failed",
    );
    const listed = (await call(`list${kind}s`)).json.items;
    assert.ok(listed.some((each: { id: string; name: string }) => each.id === made.id && each.name === "Renamed"));
    await call(`update${kind}`, { id: made.id, body: { externalId: null } });
    await call(`update${kind}`, { id: other.id, body: { externalId } });
    for (const { id } of [made, other]) await call(`delete${kind}`, { id });
    assertRefused(await call(`get${kind}`, { id: made.id }), 404, "not_found");
    assertRefused(await call(`delete${kind}`, { id: made.id }), 404, "not_found");
    const { items } = await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 50 });
    const results = items.filter(({ resourceId }) => resourceId === made.id).map(({ result }) => result);
    assert.deepEqual(results, ["deleted", "updated", "updated", "created"]);
  });

test("groups: members and channels need scopes of their own, and one in use is not deleted", async () => {
  const { json: group } = await call("createGroup", { body: { name: "Hall" } });
  const members = { memberUserIds: [tenant.admin.id] };
  assertRefused(await call("updateGroup", { id: group.id, body: members }), 400, "invalid_request");
  const { json: joined } = await call("updateGroupMembers", { id: group.id, body: members });
  assert.deepEqual(joined.memberUserIds, [tenant.admin.id]);
  const channels = [{ type: "email", target: tenant.admin.email }];
  const { json: sent } = await call("updateGroupChannels", { id: group.id, body: { channels } });
  assert.deepEqual([sent.channels, sent.memberUserIds], [channels, [tenant.admin.id]]);
  await server.app.devices.createDevice(tenant.caller, { name: "Pump", groupIds: [group.id] });
  const refused = await call("deleteGroup", { id: group.id });
  assertRefused(refused, 409, "in_use");
  assert.equal(refused.json.devices, 1);
});

test("a device is changed field by field", async () => {
  const { id } = await server.app.devices.createDevice(tenant.caller, { name: "Pump", description: "Old" });
  const { json } = await call("updateDevice", { id, body: { name: "Feed pump" } });
  assert.deepEqual([json.name, json.description], ["Feed pump", "Old"]);
});

test("on call: the duties at an instant, of one group or of all", async () => {
  const day = { ...TIMES, name: "Day", startTime: "08:00", endTime: "16:00", userIds: [tenant.admin.id] };
  const { json: shift } = await call("createShift", { body: day });
  const { json: group } = await call("createGroup", { body: { name: "Covered" } });
  await call("assignShift", { id: group.id, body: { shiftId: shift.id } });
  const midnight = Math.floor(server.clock.now().getTime() / (24 * HOUR)) * 24 * HOUR;
  const at = async (hour: number, more = "") => {
    const instant = new Date(midnight + hour * HOUR).toISOString();
    const { items } = (await call("listOnCall", { query: `?at=${instant}${more}` })).json;
    return items.filter(({ shiftId }: { shiftId: string }) => shiftId === shift.id);
  };
  const [duty] = await at(9, `&groupId=${group.id}`);
  assert.deepEqual([duty.userIds, duty.groupIds], [[tenant.admin.id], [group.id]]);
  assert.deepEqual(
    [duty.startsAt, duty.endsAt],
    [8, 16].map((hour) => new Date(midnight + hour * HOUR).toISOString()),
  );
  assert.deepEqual([(await at(7)).length, (await at(8)).length, (await at(16)).length], [0, 1, 0]);
  for (let i = 0; i < 2; i++) await call("unassignShift", { id: group.id, nested: shift.id });
  assert.deepEqual(await at(9, `&groupId=${group.id}`), []);
});

test("coverage: the groups with an escalation that has no recipient at some time", async () => {
  const escalation = [{ afterMinutes: 0, notify: "shift" }];
  const { json: group } = await call("createGroup", { body: { name: "Uncovered", escalation } });
  const { items } = (await call("listCoverage", {})).json;
  const listed = items.find(({ groupId }: { groupId: string }) => groupId === group.id);
  assert.deepEqual([listed.name, listed.hours], ["Uncovered", 7 * 24]);
  assert.equal(listed.gaps.length, 1);
  assert.deepEqual(
    [listed.gaps[0].from, Date.parse(listed.gaps[0].to) - Date.parse(listed.from)],
    [listed.from, 7 * 24 * HOUR],
  );
});

test("the replay of a period: whom the escalation would have paged, as it is and changed", async () => {
  const escalation = [{ afterMinutes: 0, notify: "members" }];
  const { json: group } = await call("createGroup", { body: { name: "Replayed", escalation } });
  const now = server.clock.now().getTime();
  const [from, to] = [now - 24 * HOUR, now].map((at) => new Date(at).toISOString());
  const { json } = await call("replayPaging", { id: group.id, body: { from, to, escalation: [] } });
  assert.deepEqual([json.anomalies, json.cut, json.pages], [0, false, []]);
  assert.deepEqual([json.present.uncoveredHours, json.changed.uncoveredHours], [24, 24]);
  const backwards = { from: to, to: from };
  assertRefused(await call("replayPaging", { id: group.id, body: backwards }), 400, "invalid_request");
});

test("the timeline of a device has the events that the scopes of the key read", async () => {
  const { id } = await server.app.devices.createDevice(tenant.caller, { name: "Lived" });
  await server.app.enrollment.issueBundle(tenant.caller, { deviceId: id });
  await server.app.tickets.openTicket(tenant.caller, { title: "Grease it", deviceId: id });
  assert.deepEqual((await call("listTimeline", { id })).json.items, []);
  const more = await newKey(server, tenant, "devices:read", "tickets:read");
  const path = `/api/v1/devices/${id}/timeline`;
  const { json } = await https(server.httpUrl + path, { ca: server.ca, headers: { "x-api-key": more } });
  assert.deepEqual(
    json.items.map(({ kind, text }: Record<string, string>) => [kind, text]),
    [["ticket.opened", "Grease it"]],
  );
});

test("overrides of duties: a user takes everybody's duty for a time, which another override may not overlap", async () => {
  const { json: group } = await call("createGroup", { body: { name: "Overridden" } });
  const body = { userId: tenant.admin.id, endsAt: addMs(server.clock.now(), HOUR).toISOString() };
  const { status, json: made } = await call("createOverride", { id: group.id, body });
  assert.deepEqual([status, made.state, made.replacesUserId, made.endsAt], [201, "agreed", null, body.endsAt]);
  const again = await call("createOverride", { id: group.id, body });
  assertRefused(again, 409, "already_exists");
  assert.equal(again.json.detail, made.id);
  assert.deepEqual((await call("listOverrides", { id: group.id })).json.items, [made]);
  await call("deleteOverride", { id: made.id });
  assertRefused(await call("deleteOverride", { id: made.id }), 404, "not_found");
});

test("absences: a user is away for a time, and the answer says which groups lose cover", async () => {
  const { json: group } = await call("createGroup", { body: { name: "Deserted", memberUserIds: [tenant.admin.id] } });
  const body = { userId: tenant.admin.id, endsAt: addMs(server.clock.now(), HOUR).toISOString(), note: "Holiday" };
  const { status, json: made } = await call("createAbsence", { body });
  assert.deepEqual([status, made.note, made.endsAt, made.uncovered], [201, "Holiday", body.endsAt, []]);
  assert.deepEqual((await call("listAbsences", { id: group.id })).json.items, [made]);
  await call("endAbsence", { id: made.id });
  assertRefused(await call("endAbsence", { id: made.id }), 404, "not_found");
});

test("threshold packs: enabled, disabled, guarded by revision, and tried on stored telemetry", async () => {
  const { json: pack } = await call("createThreshold", { body: { name: "Bearings", rules: [RULE] } });
  const { json: off } = await call("disableThreshold", { id: pack.id });
  assert.deepEqual([off.enabled, off.revision], [false, 2]);
  assert.deepEqual((await call("disableThreshold", { id: pack.id })).json, off);
  assert.equal((await call("enableThreshold", { id: pack.id })).json.revision, 3);
  const stale = await call("updateThreshold", { id: pack.id, body: { name: "x", revision: 2 } });
  assertRefused(stale, 412, "precondition_failed");
  assert.equal(stale.json.detail, "revision");
  const rules = [{ ...RULE, value: 80 }];
  const { json: changed } = await call("updateThreshold", { id: pack.id, body: { rules, revision: 3 } });
  assert.deepEqual([changed.revision, changed.rules[0].value], [4, 80]);
  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const period = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
  const { json: tried } = await call("dryRunThreshold", { id: pack.id, body: { deviceId, ...period } });
  assert.deepEqual([tried.anomalies, tried.devices, tried.cut], [[], 1, false]);
});

test("MQTT clients: a password once, replaced, disabled, enabled, deleted; the key's owner answers for them", async () => {
  const body = {
    clientId: "scada",
    username: "scada",
    subscribe: [`t/${tenant.slug}/telemetry/+`],
    externalId: "scada",
  };
  const headers = { "idempotency-key": "scada" };
  const { json: made, headers: answered } = await call("createMqttClient", { body, headers });
  assert.equal(answered.location, "/api/v1/mqtt-clients/scada");
  assert.ok(made.password.length > 20);
  const [listed] = (await call("listMqttClients")).json.items;
  assert.deepEqual((await call("getMqttClient", { id: "scada" })).json, listed);
  assert.deepEqual([listed.externalId, listed.ownerId, listed.subscribe], ["scada", tenant.admin.id, body.subscribe]);
  const second = { ...body, clientId: "scada-2", username: "scada-2" };
  assertRefused(await call("createMqttClient", { body: second }), 409, "already_exists");
  const { json: replaced } = await call("rotateMqttClientPassword", { id: "scada" });
  assert.notEqual(replaced.password, made.password);
  for (let i = 0; i < 2; i++) await call("disableMqttClient", { id: "scada" });
  for (let i = 0; i < 2; i++) await call("enableMqttClient", { id: "scada" });
  await call("deleteMqttClient", { id: "scada" });
  assert.equal((await call("listMqttClients")).json.total, 0);
  assertRefused(await call("enableMqttClient", { id: "scada" }), 404, "not_found");
});

test("maintenance windows: planned, changed, extended, ended early and deleted", async () => {
  const inHours = (hours: number) => addMs(server.clock.now(), hours * HOUR).toISOString();
  const { json: made } = await call("createMaintenanceWindow", {
    body: { name: "Firmware", covers: "all", endsAt: inHours(1) },
  });
  assert.equal((await call("listMaintenanceWindows")).json.total, 1);
  const { id } = made;
  const { json: changed } = await call("updateMaintenanceWindow", { id, body: { holdsCritical: true } });
  assert.equal(changed.holdsCritical, true);
  const { json: longer } = await call("extendMaintenanceWindow", { id, body: { until: inHours(2) } });
  assert.equal(longer.endsAt, inHours(2));
  const { json: ended } = await call("endMaintenanceWindow", { id });
  assert.equal(ended.endsAt, server.clock.now().toISOString());
  assert.deepEqual((await call("getMaintenanceWindow", { id })).json, ended);
  await call("deleteMaintenanceWindow", { id });
  assertRefused(await call("getMaintenanceWindow", { id }), 404, "not_found");
});

test("an anomaly is snoozed, and its rule muted on its device, until given times", async () => {
  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const place = { database: server.app.database, clock: server.clock };
  const id = await addAnomaly(place, tenant.caller, deviceId);
  const until = addMs(server.clock.now(), HOUR).toISOString();
  assert.equal((await call("snoozeAnomaly", { id, body: { until } })).json.snoozedUntil, until);
  await call("muteRule", { id, body: { until } });
  const { json: paging } = await call("getAnomalyPaging", { id });
  assert.deepEqual([paging.snoozedUntil, paging.mutedUntil], [until, until]);
  assert.deepEqual((await call("getOutage", { id })).json, { outage: null, items: [], total: 0, skip: 0, limit: 50 });
});

test("every operation that configures has succeeded above with its documented shape", () => {
  const configuring = new Set(OPERATIONS.configuration);
  assert.deepEqual([...answered].filter((id) => configuring.has(id)).sort(), [...configuring].sort());
});
