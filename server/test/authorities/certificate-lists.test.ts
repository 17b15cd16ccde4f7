import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import type { CertificateRecord } from "../../src/certificates/certificate-record.ts";
import { addMs, DAY } from "../../src/lib/clock.ts";
import { addStaff, type Staff } from "../access/authorization/records.ts";
import { connectMqtt, enrollDevice, type TestDevice } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
let staff: Staff;
let enrolled: TestDevice;
/** The ids of certificates: the enrolled device's, a bundle of one year, a revoked bundle. */
let ids: { enrolled: string; bundle: string; revoked: string };

before(async () => {
  server = await startServer();
  staff = await addStaff(server);
  const { caller } = staff;
  const { devices, enrollment } = server.app;
  const bundleFor = async (deviceId: string) => (await enrollment.issueBundle(caller, { deviceId })).id;
  await devices.createDevice(caller, { id: "boxed", name: "boxed", deviceTypeId: staff.deviceTypeId });
  const revoked = await bundleFor("boxed");
  await enrollment.revokeCertificate(caller, revoked);
  const bundle = await bundleFor("boxed");
  enrolled = await enrollDevice(server, staff);
  const [certificate] = await listed({ deviceId: enrolled.deviceId });
  ids = { enrolled: certificate!.id, bundle, revoked };
});
after(() => server.stop());

const page = { skip: 0, limit: 50 };

async function listed(query: object, caller: Caller = staff.caller): Promise<CertificateRecord[]> {
  const { items, total } = await server.app.certificates.listCertificates(caller, { ...page, ...query });
  assert.equal(items.length, total);
  return items;
}

/** Returns the names of listed certificates in {@link ids}, or else their ids. */
async function namesOf(query: object): Promise<string[]> {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return (await listed(query)).map(({ id }) => names.get(id) ?? id);
}

test("certificates are listed by kind, state, end and order, restricted to the devices that the caller sees", async () => {
  assert.deepEqual(await namesOf({}), ["enrolled", "bundle", "revoked"]);
  assert.deepEqual(await namesOf({ kind: "platform" }), ["bundle", "revoked"]);
  assert.deepEqual(await namesOf({ kind: "self_enrolled" }), ["enrolled"]);
  assert.deepEqual(await namesOf({ state: "live" }), ["enrolled", "bundle"]);
  assert.deepEqual(await namesOf({ state: "revoked" }), ["revoked"]);
  assert.deepEqual(await namesOf({ state: "live", kind: "platform", deviceId: "boxed" }), ["bundle"]);
  assert.deepEqual(await namesOf({ sort: "expiry" }), ["enrolled", "bundle"]);
  assert.deepEqual(await namesOf({ sort: "expiry", kind: "platform" }), ["bundle"]);
  assert.deepEqual(await namesOf({ expiresBefore: addMs(server.clock.now(), 31 * DAY) }), ["enrolled"]);
  assert.deepEqual(await listed({ sort: "expiry" }, staff.callers.viewer), []);
  const { certificates } = server.app;
  const second = await certificates.listCertificates(staff.caller, { sort: "expiry", skip: 1, limit: 1 });
  assert.deepEqual([second.total, second.items.map(({ id }) => id)], [2, [ids.bundle]]);
  const beyond = await certificates.listCertificates(staff.caller, { sort: "expiry", skip: 9, limit: 1 });
  assert.deepEqual([beyond.total, beyond.items], [2, []]);
  for (const query of [{ state: "revoked" }, { status: "revoked" }] as const)
    await assert.rejects(certificates.listCertificates(staff.caller, { ...page, ...query, sort: "expiry" }), {
      code: "invalid_request",
      detail: "sort",
    });
});

test("a list counted only a little ahead has the same certificates, and its total is marked as a lower bound", async () => {
  const { certificates } = server.app;
  for (const sort of ["newest", "expiry"] as const) {
    const query = { sort, notKind: "self_enrolled", skip: 0, limit: 1 } as const;
    const exact = await certificates.listCertificates(staff.caller, query);
    const cut = await certificates.listCertificates(staff.caller, { ...query, countAhead: 0 });
    assert.deepEqual([exact.totalIsAtLeast, cut.items], [undefined, exact.items], sort);
    assert.deepEqual([cut.total, cut.totalIsAtLeast], [1, true], sort);
    const enough = await certificates.listCertificates(staff.caller, { ...query, countAhead: 5 });
    assert.deepEqual(enough, exact, sort);
  }
});

test("a certificate is shown with its PEM, its session, its device's other certificates, and its chain up to the root", async () => {
  const { certificates, enrollment } = server.app;
  const client = await connectMqtt(server, enrolled);
  await server.app.connections.flush();
  const shown = await certificates.showCertificate(staff.caller, ids.enrolled);
  assert.equal(shown.pem, enrolled.cert);
  assert.equal(shown.connected, true);
  assert.deepEqual(shown.session, { connectedAt: server.clock.now(), remoteAddress: "127.0.0.1" });
  assert.deepEqual([shown.otherLiveCertificates, shown.liveSuccessor], [0, null]);
  const { fullchainPem, issuers } = await enrollment.showCertificateChain(staff.caller, ids.enrolled);
  assert.equal(fullchainPem, enrolled.fullchain);
  assert.deepEqual(
    issuers.map(({ role, status }) => [role, status]),
    [
      ["device_intermediate", "active"],
      ["device_root", "active"],
    ],
  );
  const [intermediate, root] = issuers.map(({ pem }) => new X509Certificate(pem));
  assert.ok(new X509Certificate(shown.pem).checkIssued(intermediate!) && intermediate!.checkIssued(root!));
  await client.endAsync(true);
});

test("revoking all live certificates of a device closes its sessions, and repeating it changes nothing", async () => {
  const { access, certificates, enrollment } = server.app;
  const { deviceId } = enrolled;
  const issued = await enrollment.issueBundle(staff.caller, { deviceId, acknowledgeSelfEnrollmentOverride: true });
  assert.equal((await certificates.showCertificate(staff.caller, issued.id)).otherLiveCertificates, 1);
  const client = await connectMqtt(server, enrolled);
  const closed = new Promise<void>((resolve) => void client.once("close", () => resolve()));
  const { revoked } = await enrollment.revokeDeviceCertificates(staff.callers.admin, deviceId);
  assert.deepEqual(new Set(revoked), new Set([ids.enrolled, issued.id]));
  await closed;
  assert.deepEqual(
    (await listed({ deviceId })).map(({ status, revocationReason }) => [status, revocationReason]),
    [
      ["revoked", "requested"],
      ["revoked", "requested"],
    ],
  );
  const acts = () => access.listAdminActs(staff.caller, { ...page, act: "device.revoke-certificates" });
  const [entry] = (await acts()).items;
  assert.deepEqual([entry!.target, entry!.actor, entry!.after], [deviceId, staff.callers.admin.actor, { revoked }]);
  assert.deepEqual(await enrollment.revokeDeviceCertificates(staff.caller, deviceId), { revoked: [] });
  assert.equal((await acts()).total, 1);
});

test("a type lists its devices, and those whose certificates have other topics than the type now has", async () => {
  const { devices, enrollment } = server.app;
  const { caller, callers } = staff;
  const type = await devices.createDeviceType(caller, { name: "Valve", publishTopics: ["state/{deviceId}"] });
  const outdated = async (who: Caller = caller) => {
    const { items, total } = await devices.listOutdatedDevices(who, type.id, page);
    return [total, ...items.map(({ id, certificateIds }) => [id, certificateIds])];
  };
  await devices.createDevice(caller, { id: "valve-0", name: "no certificate", deviceTypeId: type.id });
  await devices.createDevice(caller, { id: "valve-1", name: "valve", deviceTypeId: type.id });
  const first = await enrollment.issueBundle(caller, { deviceId: "valve-1" });
  assert.deepEqual(await outdated(), [0]);
  await devices.updateDeviceType(caller, type.id, { publishTopics: ["state/{deviceId}", "alarm/{deviceId}"] });
  assert.deepEqual(await outdated(), [1, ["valve-1", [first.id]]]);
  assert.deepEqual(await outdated(callers.viewer), [0]);
  await enrollment.issueBundle(caller, { deviceId: "valve-1" });
  await enrollment.revokeCertificate(caller, first.id);
  assert.deepEqual(await outdated(), [0]);
  const { devices: count, openClaims } = await devices.getDeviceType(caller, type.id);
  assert.deepEqual([count, openClaims], [2, 0]);
  assert.equal((await devices.getDeviceType(callers.viewer, type.id)).devices, 0);
});

test("a device type is deleted once no device has it and no open claim names it", async () => {
  const { devices, enrollment, rules } = server.app;
  const { caller } = staff;
  const rule = { metric: "temperature", operator: "gt", value: 90, severity: "major" } as const;
  const pack = await rules.createThreshold(caller, { name: "Heat", rules: [rule] });
  const type = await devices.createDeviceType(caller, { name: "Fan", publishTopics: [], thresholdIds: [pack.id] });
  await devices.createDevice(caller, { id: "fan-1", name: "fan", deviceTypeId: type.id });
  const claim = await enrollment.createClaim(caller, { intendedName: "fan", intendedDeviceTypeId: type.id });
  const isInUse = (numbers: object) =>
    assert.rejects(devices.deleteDeviceType(caller, type.id), { code: "in_use", extra: numbers });
  await isInUse({ devices: 1, openClaims: 1 });
  await enrollment.deleteDevice(caller, "fan-1");
  await isInUse({ devices: 0, openClaims: 1 });
  await enrollment.revokeClaim(caller, claim.id);
  await devices.deleteDeviceType(caller, type.id);
  await assert.rejects(devices.getDeviceType(caller, type.id), { code: "not_found" });
  await assert.rejects(devices.deleteDeviceType(caller, type.id), { code: "not_found" });
  assert.equal((await enrollment.getClaim(caller, claim.id)).intendedDeviceTypeId, null);
});

test("a bundle is expiring 30 days before its end, a self-enrolled certificate never; sorting by expiry puts expired ones first", async () => {
  const { deviceId } = await enrollDevice(server, staff);
  const [selfEnrolled] = await listed({ deviceId });
  const inState = async (state: string) =>
    (await namesOf({ state })).filter((id) => id === "bundle" || id === selfEnrolled!.id);
  server.clock.advance(29 * DAY);
  assert.deepEqual([await inState("expiring"), await inState("expired")], [[], []]);
  server.clock.advance(311 * DAY);
  assert.deepEqual([await inState("expiring"), await inState("expired")], [["bundle"], [selfEnrolled!.id]]);
  assert.deepEqual((await namesOf({ sort: "expiry" })).slice(0, 1), [selfEnrolled!.id]);
});
