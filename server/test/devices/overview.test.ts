import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { addMs, DAY, HOUR } from "../../src/lib/clock.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { addTenant, csrOf, enroll, newKey, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
let tenant: Tenant;
let viewer: Caller;
let admin: Caller;
let groupId: string;

before(async () => {
  registry = await startRegistry();
  await registry.telemetry.maintainPartitions();
  tenant = await addTenant(registry);
  const { access, groups } = registry;
  const as = async (role: "admin" | "viewer"): Promise<Caller> => {
    const { id: userId } = await access.createUser(tenant.caller, { email: `${role}@${tenant.slug}.example`, role });
    return { ...tenant.caller, actor: `user:${userId}`, rights: { kind: "user", userId, role } };
  };
  [admin, viewer] = [await as("admin"), await as("viewer")];
  const { rights } = viewer;
  const memberUserIds = rights.kind === "user" ? [rights.userId] : [];
  groupId = (await groups.createGroup(tenant.caller, { name: "Pump hall", memberUserIds })).id;
});
after(() => registry.stop());

async function uidOf(deviceId: string): Promise<string> {
  const [row] = await runSql<{ uid: string }>(
    registry.database.db,
    "SELECT uid FROM devices WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL",
    [tenant.caller.tenantId, deviceId],
  );
  return row!.uid;
}

async function publish(deviceId: string, payload: object): Promise<void> {
  await registry.telemetry.ingest({
    tenantId: tenant.caller.tenantId,
    deviceUid: await uidOf(deviceId),
    deviceId,
    topic: `t/${tenant.slug}/telemetry/${deviceId}`,
    payload: Buffer.from(JSON.stringify(payload)),
  });
}

function addDevice(id: string, more: { deviceTypeId?: string; groupIds?: string[] } = {}) {
  return registry.devices.createDevice(tenant.caller, { id, name: `Device ${id}`, ...more });
}

async function findings(caller: Caller, query: object = {}): Promise<string[]> {
  const { items, total } = await registry.overview.listFindings(caller, { skip: 0, limit: 50, ...query });
  assert.equal(items.length, total);
  for (const { cause, cure } of items) for (const text of [cause, cure]) assert.match(text, /^[A-Z].*\.$/);
  return items.map(({ kind, deviceId }) => `${kind} ${deviceId}`).sort();
}

test("findings name the devices concerned, as long as their cause lasts, to users who see the device", async () => {
  const { enrollment, clock, overview } = registry;
  await addDevice("mute", { groupIds: [groupId] });
  await enrollment.issueBundle(tenant.caller, { deviceId: "mute" });
  const key = newKey();
  const [one, two] = [
    await enroll(registry, tenant, { csr: csrOf(key) }),
    await enroll(registry, tenant, { csr: csrOf(key) }),
  ];
  const shared = [one, two].map(({ answer }) => `shared_key ${answer.deviceId}`).sort();
  await publish("mute", { ts: addMs(clock.now(), HOUR).getTime(), values: { temperature: 1, pressure: 2 } });
  const [replaced] = (await overview.listFindings(viewer, { kind: "clock_replaced", skip: 0, limit: 5 })).items;
  assert.deepEqual(replaced?.metrics, ["pressure", "temperature"]);
  assert.deepEqual(await findings(admin), ["clock_replaced mute", "publishes_nowhere mute", ...shared]);
  assert.deepEqual(await findings(viewer), ["clock_replaced mute", "publishes_nowhere mute"]);
  assert.deepEqual(await findings(admin, { deviceId: one.answer.deviceId }), [`shared_key ${one.answer.deviceId}`]);
  assert.deepEqual(await findings(admin, { kind: "publishes_nowhere" }), ["publishes_nowhere mute"]);
  assert.deepEqual(await findings(viewer, { deviceId: two.answer.deviceId }), []);

  clock.advance(1000);
  await publish("mute", { temperature: 1, pressure: 2 });
  assert.deepEqual(await findings(viewer), ["publishes_nowhere mute"]);
  clock.advance(21.5 * DAY);
  assert.deepEqual(await findings(admin, { kind: "renewal_overdue" }), [], "a day is not over yet");
  clock.advance(DAY);
  const overdue = [one, two].map(({ answer }) => `renewal_overdue ${answer.deviceId}`).sort();
  assert.deepEqual(await findings(admin, { kind: "renewal_overdue" }), overdue);
  const counted = (await overview.readOverview(admin)).findings;
  assert.deepEqual(counted, {
    shared_key: 2,
    publishes_nowhere: 1,
    renewal_overdue: 2,
    bundle_expiring: 0,
    clock_replaced: 0,
    values_rejected: 0,
  });
  clock.advance(10 * DAY);
  assert.deepEqual(await findings(admin), ["publishes_nowhere mute"], "their certificates have expired");
  clock.advance(302 * DAY);
  assert.deepEqual(await findings(viewer), ["publishes_nowhere mute"]);
  clock.advance(2 * DAY);
  assert.deepEqual(await findings(viewer), ["bundle_expiring mute", "publishes_nowhere mute"]);
  assert.equal((await overview.readOverview(viewer)).findings.bundle_expiring, 1);
  await enrollment.issueBundle(tenant.caller, { deviceId: "mute" });
  assert.deepEqual(await findings(viewer, { kind: "bundle_expiring" }), [], "it has one that ends later");
});

test("a device has a finding for 24 hours after a message of which something was not stored", async () => {
  const { clock, overview } = registry;
  await addDevice("nested", { groupIds: [groupId] });
  const rejected = { deviceId: "nested", kind: "values_rejected" };
  await publish("nested", { temperature: 1 });
  assert.deepEqual(await findings(viewer, rejected), []);
  await publish("nested", { temperature: 1, humidity: null });
  assert.deepEqual(await findings(viewer, rejected), ["values_rejected nested"]);
  assert.equal((await overview.readOverview(viewer)).findings.values_rejected, 1);
  clock.advance(DAY + 1);
  assert.deepEqual(await findings(viewer, rejected), []);
});

test("the overview counts what the caller sees, as the lists do", async () => {
  const { anomalies, devices, enrollment, overview, tickets } = registry;
  const place = { database: registry.database, clock: registry.clock };
  await addDevice("seen", { groupIds: [groupId] });
  await addDevice("unseen");
  await addAnomaly(place, tenant.caller, "seen");
  await addAnomaly(place, tenant.caller, "unseen");
  await tickets.openTicket(tenant.caller, { title: "Grease it", deviceId: "unseen" });
  await enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  for (const caller of [admin, viewer]) {
    const shown = await overview.readOverview(caller);
    const page = { skip: 0, limit: 100 };
    const { items } = await devices.listDevices(caller, page);
    assert.equal(shown.devices.total, items.length);
    for (const [state, count] of Object.entries(shown.devices.certificates))
      assert.equal(count, items.filter(({ certificateState }) => certificateState === state).length, state);
    for (const [status, count] of Object.entries(shown.devices.connectivity))
      assert.equal(count, items.filter(({ connectivity }) => connectivity.status === status).length, status);
    const open = (await anomalies.listAnomalies(caller, { status: "open", ...page })).total;
    assert.equal(
      Object.values(shown.anomalies.open).reduce((sum, count) => sum + count),
      open,
    );
    assert.equal(open, caller === admin ? 2 : 1);
    assert.equal(shown.tickets.open, caller === admin ? 1 : 0);
    assert.equal(shown.openClaims, caller === admin ? 1 : null);
  }
});

test("the forecast has each device in the week in which its last certificate ends", async () => {
  const { devices, enrollment, clock } = registry;
  const weeks = async () => (await devices.countDevices(admin)).expiry;
  const before = await weeks();
  assert.deepEqual([before.length, before[0]!.from], [12, clock.now()]);
  await enroll(registry, tenant);
  const after = await weeks();
  const added = after.map(({ selfEnrolled, platform }, week) => [
    selfEnrolled - before[week]!.selfEnrolled,
    platform - before[week]!.platform,
  ]);
  assert.deepEqual(
    added,
    Array.from({ length: 12 }, (_, week) => [week === 4 ? 1 : 0, 0]),
    "30 days from now is in the fifth week",
  );
  await addDevice("bundled");
  await enrollment.issueBundle(tenant.caller, { deviceId: "bundled" });
  assert.deepEqual(await weeks(), after, "a year from now is beyond the forecast");
});

test("the timeline of a device lists its events, newest first, and continues before an entry", async () => {
  const { connections, enrollment, certificates, overview, tickets, clock } = registry;
  await addDevice("lived", { groupIds: [groupId] });
  const steps = [
    () => enrollment.issueBundle(tenant.caller, { deviceId: "lived" }),
    async () =>
      runSql(
        registry.database.db,
        `UPDATE devices SET connectivity = 'online', connectivity_since = $2 WHERE id = 'lived' AND tenant_id = $1`,
        [tenant.caller.tenantId, clock.now()],
      ),
    () => tickets.openTicket(tenant.caller, { title: "Grease it", deviceId: "lived" }),
    async () => {
      const [certificate] = (
        await certificates.listCertificates(tenant.caller, { deviceId: "lived", skip: 0, limit: 1 })
      ).items;
      await enrollment.revokeCertificate(tenant.caller, certificate!.id);
    },
    async () => {
      connections.recordRefusal({ reason: "revoked", tenantId: tenant.caller.tenantId, deviceId: "lived" });
      await connections.listRefusals(tenant.caller, { skip: 0, limit: 1 });
    },
  ];
  for (const step of steps) {
    clock.advance(1000);
    await step();
  }
  const kinds = async (query: object) =>
    (await overview.listTimeline(viewer, "lived", query)).map(({ kind }) => kind as string);
  const expected = [
    "connection.refused",
    "certificate.revoked",
    "ticket.opened",
    "device.online",
    "certificate.issued",
  ];
  assert.deepEqual(await kinds({}), expected);
  const [, , third] = await overview.listTimeline(viewer, "lived", { limit: 3 });
  assert.deepEqual([third?.text, third?.actor], ["Grease it", "system"]);
  assert.deepEqual(await kinds({ before: third!.at }), expected.slice(3));
  await assert.rejects(overview.listTimeline(viewer, "unseen", {}), { code: "not_found" });
  await assert.rejects(overview.listTimeline(viewer, "lived", { limit: 201 }), { code: "invalid_request" });
});

test("a search finds records of every kind that the caller may see", async () => {
  const { access, certificates, connections, enrollment, groups, overview, tickets } = registry;
  await addDevice("zebra-1", { groupIds: [groupId] });
  await addDevice("zebra-2");
  await enrollment.issueBundle(tenant.caller, { deviceId: "zebra-2" });
  await groups.createGroup(tenant.caller, { name: "Zebra crossing" });
  await enrollment.createClaim(tenant.caller, { intendedName: "Zebra 3" });
  await connections.createMqttClient(tenant.caller, { clientId: "zebra-gateway", username: "z" });
  await access.createUser(tenant.caller, { email: "zebra@example.com", role: "viewer" });
  const { id, number } = await tickets.openTicket(tenant.caller, { title: "Feed the zebra", deviceId: "zebra-1" });
  const done = await tickets.openTicket(tenant.caller, { title: "Wash the zebra" });
  await tickets.changeTicket(tenant.caller, done.id, { status: "cancelled" });
  const search = async (caller: Caller, q: string) =>
    (await overview.search(caller, q)).map(({ kind, title }) => `${kind} ${title}`).sort();
  assert.deepEqual(await search(admin, " ZEBRA "), [
    "claim Zebra 3",
    "device Device zebra-1",
    "device Device zebra-2",
    "group Zebra crossing",
    "mqtt_client zebra-gateway",
    `ticket #${number} Feed the zebra`,
    "user zebra@example.com",
  ]);
  assert.deepEqual(await search(viewer, "zebra"), ["device Device zebra-1", `ticket #${number} Feed the zebra`]);
  assert.deepEqual(
    (await overview.search(admin, `#${number}`)).map((found) => found.id),
    [id],
  );
  assert.deepEqual(await search(admin, "zebra-2"), ["device Device zebra-2"]);
  assert.deepEqual(await search(admin, "  "), []);
  const page = { deviceId: "zebra-2", skip: 0, limit: 1 };
  const [certificate] = (await certificates.listCertificates(tenant.caller, page)).items;
  const { serialNumber, fingerprintSha256 } = certificate!;
  for (const q of [serialNumber, fingerprintSha256.toUpperCase()]) {
    assert.deepEqual(await search(admin, q), [`certificate zebra-2 ${serialNumber}`]);
    assert.deepEqual(await search(viewer, q), []);
  }
});

test("topics changed since the issue are a finding of the device, until it has a certificate with the current ones", async () => {
  const { devices, enrollment } = registry;
  const { id: deviceTypeId } = await devices.createDeviceType(tenant.caller, {
    name: "Fan",
    publishTopics: ["telemetry/{deviceId}"],
  });
  await addDevice("fan", { deviceTypeId, groupIds: [groupId] });
  const bundle = () => enrollment.issueBundle(tenant.caller, { deviceId: "fan" });
  const found = (caller = viewer) => findings(caller, { deviceId: "fan" });
  const { id: certificateId } = await bundle();
  assert.deepEqual(await found(), []);
  const change = (publishTopics: string[], subscribeTopics: string[] = []) =>
    devices.updateDeviceType(tenant.caller, deviceTypeId, { publishTopics, subscribeTopics });
  await change(["telemetry/{deviceId}"], ["{deviceId}/commands"]);
  assert.deepEqual(await found(), ["topics_changed fan"]);
  await change(["telemetry/{deviceId}", "log/{deviceId}"]);
  assert.deepEqual(await found(), ["topics_changed fan"]);
  assert.deepEqual(
    (await findings(admin)).filter((each) => each.startsWith("topics_changed")),
    [],
  );
  const { items } = await registry.overview.listFindings(admin, { deviceId: "fan", skip: 0, limit: 5 });
  assert.equal(items[0]!.certificateId, certificateId);
  await change(["telemetry/{deviceId}"]);
  assert.deepEqual(await found(), [], "they are those of the certificate again");
  await devices.changeDevice(tenant.caller, "fan", { deviceTypeId: null });
  assert.deepEqual(await found(), ["topics_changed fan"], "without a type there are no topics");
  await devices.changeDevice(tenant.caller, "fan", { deviceTypeId });
  await change(["log/{deviceId}"]);
  await enrollment.revokeCertificate(tenant.caller, certificateId);
  await bundle();
  assert.deepEqual(await found(), []);
});
