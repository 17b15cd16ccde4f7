import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addMs, HOUR } from "../../../src/lib/clock.ts";
import { DEFAULT_LIMITS } from "../../../src/lib/limits/limits.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { testFeatures } from "../../harness/features.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

const HOT = { metric: "temperature", operator: "gt", value: 90, severity: "major" };

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;
/** A device in the group of operator and viewer, which has sent one hour of high temperatures. */
let pump: TestDevice;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  tenant = await newTenant(server);
  [admin, operator, viewer] = [
    await signIn(server, tenant),
    await signIn(server, tenant, "operator"),
    await signIn(server, tenant, "viewer"),
  ];
  const { groups, devices } = server.app;
  const memberUserIds = [operator.userId, viewer.userId];
  const { id } = await groups.createGroup(tenant.caller, { name: "Pump hall", memberUserIds });
  pump = await enrollDevice(server, tenant);
  const { name, deviceTypeId } = await devices.getDevice(tenant.caller, pump.deviceId);
  await devices.replaceDevice(tenant.caller, pump.deviceId, { name, deviceTypeId, groupIds: [id] });
  await publish([20, 91, 92, 20, 95, 20]);
});
after(() => server.stop());

/** Temperatures at intervals of a minute, the last one now. */
async function publish(temperatures: number[]): Promise<void> {
  const client = await connectMqtt(server, pump);
  const now = server.clock.now().getTime();
  const messages = temperatures.map((temperature, at) => ({
    ts: now - (temperatures.length - 1 - at) * 60_000,
    values: { temperature },
  }));
  await client.publishAsync(pump.topic, JSON.stringify(messages), { qos: 1 });
  await client.endAsync();
}

const period = () => {
  const now = server.clock.now();
  return { from: addMs(now, -HOUR).toISOString(), to: addMs(now, HOUR).toISOString() };
};

const packOf = async (name: string, rules: object[] = [HOT]) =>
  (await operator.call("POST", "/thresholds", { body: { name, rules } })).json;

test("an operator creates, reads, changes and deletes a pack; the entity tag guards the change", async () => {
  const made = await operator.call("POST", "/thresholds", { body: { name: "Bearings", rules: [HOT] } });
  assert.deepEqual([made.status, made.headers.location], [201, `/api/admin/thresholds/${made.json.id}`]);
  const path = `/thresholds/${made.json.id}`;
  const { json, headers } = await viewer.call("GET", path);
  const { revision, updatedAt, devices, deviceTypes, watchedDevices, unresolvedAnomalies, ...pack } = json;
  assert.deepEqual(pack, made.json);
  assert.deepEqual([devices, deviceTypes, watchedDevices, unresolvedAnomalies], [0, 0, 0, 0]);
  const ifMatch = { "if-match": headers.etag! };
  const [rule] = pack.rules;
  const body = { enabled: false, rules: [{ ...rule, severity: "critical" }, HOT] };
  const changed = await operator.call("PATCH", path, { body, headers: ifMatch });
  assert.deepEqual(
    [changed.status, changed.json.enabled, changed.json.rules[0].id, changed.json.rules.length],
    [200, false, rule.id, 2],
  );
  assert.ok(changed.json.revision > revision);
  const late = await operator.call("PATCH", path, { body: { name: "Late" }, headers: ifMatch });
  assert.deepEqual([late.status, late.json.error], [412, "precondition_failed"]);
  const next = { "if-match": changed.headers.etag! };
  assert.equal((await operator.call("PATCH", path, { body: { name: "Hot" }, headers: next })).json.name, "Hot");
  assert.equal((await operator.call("DELETE", path)).status, 204);
  assert.equal((await operator.call("GET", path)).status, 404);
});

test("an invalid rule is refused with its position", async () => {
  const refused = async (body: object) => (await operator.call("POST", "/thresholds", { body })).json.detail;
  assert.equal(await refused({ name: "x", rules: [HOT, { ...HOT, clearValue: 95 }] }), "rules.1.clearValue");
  assert.equal(await refused({ name: "x", rules: [{ ...HOT, operator: "outside" }] }), "rules.0.value");
  assert.match(await refused({ name: "x", rules: [{ ...HOT, metric: "" }] }), /rules\.0\.metric/);
  assert.match(await refused({ name: "x", rules: [] }), /rules/);
});

test("a pack shows the number of its devices, and the list of devices names those that the user sees", async () => {
  const pack = await packOf("Watching");
  const { devices } = server.app;
  const { id: typeId } = await devices.createDeviceType(tenant.caller, { name: "Valve", publishTopics: [] });
  await devices.createDevice(tenant.caller, { id: "valve-1", name: "Valve 1", deviceTypeId: typeId });
  await devices.updateDeviceType(tenant.caller, typeId, { thresholdIds: [pack.id] });
  const { deviceTypeId, groupIds, name } = await devices.getDevice(tenant.caller, pump.deviceId);
  const fields = { name, deviceTypeId, groupIds, thresholdIds: [pack.id] };
  await devices.replaceDevice(tenant.caller, pump.deviceId, fields);
  const watched = async (user: SignedIn) => {
    const { json } = await user.call("GET", `/thresholds/${pack.id}`);
    const listed = await user.call("GET", `/devices?thresholdId=${pack.id}`);
    const ids = listed.json.items.map(({ id }: { id: string }) => id).sort();
    return [json.devices, json.deviceTypes, json.watchedDevices, ids];
  };
  assert.deepEqual(await watched(admin), [1, 1, 2, [pump.deviceId, "valve-1"].sort()]);
  assert.deepEqual(await watched(viewer), [1, 1, 1, [pump.deviceId]]);
  const others = (await admin.call("GET", `/devices?notThresholdId=${pack.id}`)).json;
  assert.equal(others.total, 0);
  server.clock.advance(HOUR);
  await publish([95]);
  assert.equal((await viewer.call("GET", `/thresholds/${pack.id}`)).json.unresolvedAnomalies, 1);
  await devices.replaceDevice(tenant.caller, pump.deviceId, { ...fields, thresholdIds: [] });
});

test("a device is watched by its own packs and the enabled packs of its type, once each", async () => {
  const { devices } = server.app;
  const [own, ofType, both] = [await packOf("B own"), await packOf("A type"), await packOf("C both")];
  const disabled = await packOf("Disabled");
  await operator.call("PATCH", `/thresholds/${disabled.id}`, { body: { enabled: false } });
  const { id: deviceTypeId } = await devices.createDeviceType(tenant.caller, { name: "Mixer", publishTopics: [] });
  await devices.updateDeviceType(tenant.caller, deviceTypeId, { thresholdIds: [ofType.id, both.id, disabled.id] });
  const fields = { name: "Mixer 1", deviceTypeId, thresholdIds: [own.id, both.id] };
  await devices.createDevice(tenant.caller, { id: "mixer-1", name: "Mixer 1" });
  await devices.replaceDevice(tenant.caller, "mixer-1", fields);
  const { status, json } = await admin.call("GET", "/devices/mixer-1/thresholds");
  assert.deepEqual(
    [status, json.items.map(({ name }: { name: string }) => name)],
    [200, ["A type", "B own", "C both"]],
  );
  assert.deepEqual(json.items[1], { id: own.id, name: "B own", rules: own.rules });
  assert.deepEqual((await viewer.call("GET", `/devices/${pump.deviceId}/thresholds`)).json.items, []);
  for (const [user, id] of [
    [viewer, "mixer-1"],
    [admin, "mixer-2"],
  ] as const)
    assert.equal((await user.call("GET", `/devices/${id}/thresholds`)).status, 404);
});

test("a dry run finds the anomalies that given rules, or those of a pack, would have opened", async () => {
  server.clock.advance(4 * HOUR);
  await publish([20, 91, 92, 20, 95, 20]);
  const body = { rules: [HOT], deviceId: pump.deviceId, ...period() };
  const run = await operator.call("POST", "/thresholds/dry-run", { body });
  assert.equal(run.status, 200, run.text);
  const { anomalies, ...of } = run.json;
  assert.deepEqual(of, { devices: 1, readings: 6, cut: false });
  const now = server.clock.now();
  const at = (minutes: number) => addMs(now, -minutes * 60_000).toISOString();
  assert.deepEqual(
    anomalies.map((each: Record<string, unknown>) => [each.openedAt, each.resolvedAt, each.occurrences]),
    [
      [at(4), at(2), 2],
      [at(1), at(0), 1],
    ],
  );
  const pack = await packOf("Stored");
  const ofType = { thresholdId: pack.id, deviceTypeId: tenant.deviceTypeId, ...period() };
  assert.equal((await operator.call("POST", "/thresholds/dry-run", { body: ofType })).json.anomalies.length, 2);
  const viewed = await viewer.call("POST", "/thresholds/dry-run", { body });
  assert.equal(viewed.json.error, "insufficient_role");
  const unseen = await operator.call("POST", "/thresholds/dry-run", { body: { ...body, deviceId: "valve-1" } });
  assert.equal(unseen.json.error, "not_found");
  const wrong = { ...body, rules: [{ ...HOT, value: "hot" }] };
  assert.equal((await operator.call("POST", "/thresholds/dry-run", { body: wrong })).json.detail, "rules.0.value");
});

test("when a tenant starts many dry runs simultaneously, one runs, one waits, and the others are refused", async () => {
  const body = { rules: [HOT], deviceId: pump.deviceId, ...period() };
  const { rules } = server.app;
  const dates = { ...body, rules: [HOT] as never, from: new Date(body.from), to: new Date(body.to) };
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => rules.dryRun(tenant.caller, dates)));
  const refusals = outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  assert.equal(refusals.length, 4);
  for (const { reason } of refusals) assert.equal(reason.code, "rate_limited");
  assert.equal((await operator.call("POST", "/thresholds/dry-run", { body })).status, 200);
});

test("a dry run that has used up its time reports that it was truncated", async () => {
  const { database } = server.app;
  const limits = { ...DEFAULT_LIMITS, dryRunSeconds: 0 };
  const { rules } = testFeatures({ database, clock: server.clock, limits });
  const { from, to } = period();
  const ask = { rules: [HOT] as never, deviceId: pump.deviceId, from: new Date(from), to: new Date(to) };
  const { cut, readings } = await rules.dryRun(tenant.caller, ask);
  assert.deepEqual([cut, readings], [true, 0]);
});
