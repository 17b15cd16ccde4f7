import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { DAY } from "../../src/lib/clock.ts";
import { assignPacks, sendValues } from "../harness/anomalies.ts";
import { enrollDevice, newTenant, renew, type TestTenant } from "../harness/devices.ts";
import { assertRefused, OPERATIONS, publicApi } from "../harness/http/public-api.ts";
import { startServer, type TestServer } from "../harness/server.ts";

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

test("a claim is created with its code, read without it, filtered by status, and revoked repeatedly", async () => {
  const group = await call("createGroup", { body: { name: "Pump hall", memberUserIds: [tenant.admin.id] } });
  const { json: claim } = await call("createClaim", {
    body: {
      intendedName: "Gateway",
      intendedGroupIds: [group.json.id],
      intendedDeviceTypeId: tenant.deviceTypeId,
      expiresInMinutes: 5,
      maxUses: 2,
    },
  });
  assert.match(claim.claimCode, /^CLAIM-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  assert.equal(claim.codeHint, claim.claimCode.slice(-4));
  const { claimCode: _, ...record } = claim;
  assert.deepEqual((await call("getClaim", { id: claim.id })).json, record);
  assert.deepEqual((await call("listClaims")).json, { items: [record], total: 1, skip: 0, limit: 100 });
  for (let i = 0; i < 2; i++) await call("revokeClaim", { id: claim.id });
  assert.equal((await call("listClaims", { query: "?status=pending" })).json.total, 0);
  assert.equal((await call("listClaims", { query: "?status=revoked" })).json.items[0].id, claim.id);
  assertRefused(await call("listClaims", { query: "?status=expired" }), 400, "invalid_request");
  assert.deepEqual((await call("getGroup", { id: group.json.id })).json, group.json);
  assert.equal((await call("listGroups", { query: "?q=PUMP" })).json.total, 1);
});

test("a shift is shown, and assigned to a group", async () => {
  const { id } = await server.app.groups.createShift(tenant.caller, {
    name: "Nights",
    timeZone: "Europe/Berlin",
    startTime: "22:00",
    endTime: "06:00",
    daysOfWeek: ["mon"],
  });
  const { json: group } = await call("createGroup", { body: { name: "On call" } });
  const { json: assigned } = await call("assignShift", { id: group.id, body: { shiftId: id } });
  assert.deepEqual(assigned, { ...group, shiftIds: [id] });
  const { json: shift } = await call("getShift", { id });
  assert.deepEqual(shift.groupIds, [group.id]);
  assert.deepEqual((await call("listShifts")).json.items, [shift]);
});

test("a ticket is opened with only a title, worked on, listed and read", async () => {
  const { id } = (await call("openTicket", { body: { title: "Grease the bearing" } })).json;
  const body = { status: "in_progress", assigneeUserId: tenant.admin.id };
  const { json: ticket } = await call("changeTicket", { id, body });
  assert.deepEqual((await call("getTicket", { id })).json, ticket);
  const query = `?status=in_progress&assigneeUserId=${tenant.admin.id}`;
  assert.deepEqual((await call("listTickets", { query })).json, { items: [ticket], total: 1, skip: 0, limit: 50 });
});

test("a threshold pack is created, and an anomaly of its rule is listed, shown and acknowledged", async () => {
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" };
  const { json: pack } = await call("createThreshold", { body: { name: "Bearings", rules: [rule] } });
  assert.deepEqual((await call("getThreshold", { id: pack.id })).json, pack);
  assert.deepEqual((await call("listThresholds", { query: "?q=bear" })).json.items, [pack]);

  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const where = { database: server.app.database, clock: server.clock };
  await assignPacks(where, tenant.caller, deviceId, pack.id);
  await sendValues(where, tenant.caller, deviceId, { temperature: 91 });
  const { id } = (await call("listAnomalies", { query: `?deviceId=${deviceId}` })).json.items[0];
  const { json: anomaly } = await call("getAnomaly", { id });
  assert.deepEqual([anomaly.deviceId, anomaly.limit, anomaly.status], [deviceId, 90, "open"]);
  assert.deepEqual((await call("listAnomalies", { query: "?status=open&severity=major" })).json.items, [anomaly]);
  const { json: seen } = await call("acknowledgeAnomaly", { id, body: { comment: "On it" } });
  assert.deepEqual([seen.status, seen.comment], ["acknowledged", "On it"]);
});

test("lists are newest first, and consecutive pages neither overlap nor leave gaps", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    server.clock.advance(1);
    ids.unshift((await call("createGroup", { body: { name: `Shift ${i}` } })).json.id);
  }
  const first = (await call("listGroups", { query: "?q=Shift&limit=3" })).json;
  const second = (await call("listGroups", { query: "?q=Shift&limit=3&skip=3" })).json;
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    ids,
  );
  assert.deepEqual([first.total, second.total, second.skip, second.limit], [5, 5, 3, 3]);
});

test("a bundle contains a working key and certificate; issuing never revokes, at most two are live", async () => {
  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, {
    name: "Pump",
    deviceTypeId: tenant.deviceTypeId,
  });
  const { json: bundle } = await call("issueDeviceCertificate", { body: { deviceId } });
  const leaf = new X509Certificate(bundle.clientCertPem);
  assert.ok(leaf.checkPrivateKey(createPrivateKey(bundle.privateKeyPem)));
  assert.equal(leaf.validToDate.toISOString(), bundle.certExpiresAt);
  assert.deepEqual(bundle.publishTopics, [`t/${tenant.slug}/telemetry/${deviceId}`]);
  const { json: second } = await call("issueDeviceCertificate", { body: { deviceId } });

  const third = await call("issueDeviceCertificate", { body: { deviceId } });
  assertRefused(third, 409, "device_cert_cap_reached");
  assert.deepEqual([third.json.activeCount, third.json.maxActivePlatformCertsPerDevice], [2, 2]);

  const list = (await call("listDeviceCertificates", { query: `?deviceId=${deviceId}&status=active` })).json;
  assert.deepEqual(
    list.items.map(({ id }: { id: string }) => id),
    [second.id, bundle.id],
  );
  for (let i = 0; i < 2; i++) await call("revokeDeviceCertificate", { id: bundle.id });
  assert.equal((await call("issueDeviceCertificate", { body: { deviceId } })).status, 201);
  assertRefused(await call("revokeDeviceCertificate", { id: deviceId }), 404, "certificate_not_found");
  assertRefused(await call("issueDeviceCertificate", { body: { deviceId: "no-such" } }), 404, "device_not_found");
  const revoked = (await call("listDeviceCertificates", { query: `?deviceId=${deviceId}&status=revoked` })).json;
  assert.equal(revoked.total, 1);
  assert.match(revoked.items[0].revokedBy, /^apikey:/);
});

test("409 device_self_enrolled until the override is acknowledged; 409 client_id_in_use for a gateway's id", async () => {
  const { deviceId } = await enrollDevice(server, tenant);
  assertRefused(await call("issueDeviceCertificate", { body: { deviceId } }), 409, "device_self_enrolled");
  const body = { deviceId, acknowledgeSelfEnrollmentOverride: true };
  assert.equal((await call("issueDeviceCertificate", { body })).status, 201);

  const { id } = await server.app.devices.createDevice(tenant.caller, { id: "gateway-7", name: "Gateway" });
  await server.app.connections.createMqttClient(tenant.caller, {
    clientId: id,
    username: "gateway-7",
    publish: [],
    subscribe: [],
  });
  assertRefused(await call("issueDeviceCertificate", { body: { deviceId: id } }), 409, "client_id_in_use");
});

test("the audit lists each actor's actions on certificates, newest first", async () => {
  const device = await enrollDevice(server, tenant);
  const renewed = await renew(server, device);
  assert.equal(renewed.answer.status, 200);
  const ofDevice = (await call("listDeviceCertificates", { query: `?deviceId=${device.deviceId}` })).json;
  await call("revokeDeviceCertificate", { id: ofDevice.items[0].id });
  const { items } = (await call("listDeviceCertificateAudit", { query: "?limit=200" })).json;
  const own = items.filter((each: { deviceId: string }) => each.deviceId === device.deviceId);
  assert.deepEqual(
    own.map((each: { kind: string; actor: string }) => [each.kind, each.actor.split(":")[0]]),
    [
      ["device_cert_revoked", "apikey"],
      ["device_cert_renewed", "device"],
      ["device_cert_enrolled", "claim"],
    ],
  );
  assert.equal(own[1].previousSerialNumber, own[2].serialNumber);
});

test("a device is shown with its connectivity and its certificate's state", async () => {
  const { deviceId } = await enrollDevice(server, tenant);
  const { json: device } = await call("getDevice", { id: deviceId });
  assert.deepEqual([device.connectivity.status, device.certificateState], ["never_seen", "active"]);
  const found = (await call("listDevices", { query: `?q=${deviceId.slice(2, 12).toUpperCase()}` })).json;
  assert.deepEqual(found.items, [device]);
  assert.equal((await call("listDevices", { query: "?connectivity=online" })).json.total, 0);
  const metadata = { asset: "P-1042" };
  const { json: replaced } = await call("replaceDevice", { id: deviceId, body: { name: "Pump 2", metadata } });
  assert.deepEqual(replaced, { ...device, name: "Pump 2", metadata, deviceTypeId: null });
  server.clock.advance(22 * DAY);
  assert.equal((await call("getDevice", { id: deviceId })).json.certificateState, "renewal_due");
});

test("every operation of the specification has succeeded above with its documented shape", () => {
  assert.deepEqual([...answered].sort(), OPERATIONS.specified.toSorted());
});
