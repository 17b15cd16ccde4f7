import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { DAY, MINUTE } from "../../src/lib/clock.ts";
import {
  ADDRESS,
  addTenant,
  csrOf,
  enroll,
  refused,
  request,
  startRegistry,
  type Tenant,
} from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
  await registry.connections.startNode();
});
after(async () => {
  await registry.connections.stopNode();
  await registry.stop();
});

const page = { skip: 0, limit: 50 };
const certificates = async (tenant: Tenant) =>
  (await registry.certificates.listCertificates(tenant.caller, page)).items;
/** Opens a session with a certificate. */
async function connect({ id }: { id: string }): Promise<void> {
  const { device_id: clientId, ...of } = await registry.database.db
    .selectFrom("certificates")
    .select(["device_id", "device_uid as deviceUid", "tenant_id as tenantId"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const session = { ...of, clientId, sessionId: randomUUID(), certificateId: id, mqttClientId: null };
  await registry.connections.openSession({ ...session, remoteAddress: ADDRESS });
}
const drops = () => registry.database.db.selectFrom("session_drops").selectAll().orderBy("seq").execute();

test("revoking a certificate leaves the device's others valid and is audited with its actor", async () => {
  const tenant = await addTenant(registry);
  const { answer, peer } = await enroll(registry, tenant);
  const bundle = await registry.enrollment.issueBundle(tenant.caller, {
    deviceId: answer.deviceId,
    acknowledgeSelfEnrollmentOverride: true,
  });
  await connect(bundle);
  const caller = { ...tenant.caller, actor: "apikey:abcd1234" };
  await registry.enrollment.revokeCertificate(caller, bundle.id);
  const record = await registry.certificates.getCertificate(tenant.caller, bundle.id);
  assert.deepEqual(
    [record.status, record.revocationReason, record.revokedBy, record.revokedAt],
    ["revoked", "requested", "apikey:abcd1234", registry.clock.now()],
  );
  assert.ok((await registry.certificates.identifyDevice(peer)).ok);
  const [entry] = (await registry.certificates.listCertificateAudit(tenant.caller, page)).items;
  assert.deepEqual(
    [entry!.kind, entry!.actor, entry!.serialNumber, entry!.fingerprintSha256],
    ["device_cert_revoked", "apikey:abcd1234", bundle.serialNumber, bundle.fingerprintSha256],
  );
  assert.equal((await drops()).at(-1)!.certificate_id, bundle.id);
});

test("revoking again changes nothing and adds no audit entry", async () => {
  const tenant = await addTenant(registry);
  await enroll(registry, tenant);
  const [certificate] = await certificates(tenant);
  await registry.enrollment.revokeCertificate(tenant.caller, certificate!.id);
  const [revoked] = await certificates(tenant);
  registry.clock.advance(MINUTE);
  await registry.enrollment.revokeCertificate({ ...tenant.caller, actor: "user:late" }, certificate!.id);
  assert.deepEqual(await certificates(tenant), [revoked]);
  assert.equal((await registry.certificates.listCertificateAudit(tenant.caller, page)).total, 2);
});

test("revoking a superseded certificate drops its open session and keeps the reason", async () => {
  const tenant = await addTenant(registry);
  const { peer } = await enroll(registry, tenant);
  const [old] = await certificates(tenant);
  await connect(old!);
  await registry.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr: csrOf() });
  await registry.enrollment.revokeCertificate(tenant.caller, old!.id);
  assert.equal((await drops()).at(-1)!.certificate_id, old!.id);
  assert.equal((await registry.certificates.getCertificate(tenant.caller, old!.id)).revocationReason, "superseded");
});

test("an expired certificate can still be revoked", async () => {
  const tenant = await addTenant(registry);
  await enroll(registry, tenant);
  registry.clock.advance(31 * DAY);
  const [certificate] = await certificates(tenant);
  await registry.enrollment.revokeCertificate(tenant.caller, certificate!.id);
  const [after] = await certificates(tenant);
  assert.deepEqual([after!.status, after!.expired], ["revoked", true]);
});

test("another tenant's certificate is certificate_not_found, like one that does not exist", async () => {
  const [mine, other] = [await addTenant(registry), await addTenant(registry)];
  const { peer } = await enroll(registry, other);
  const [foreign] = await certificates(other);
  for (const id of [foreign!.id, "01a1fac2-4f95-7000-8000-000000000000", "no-uuid", "nul\0"]) {
    await refused(registry.enrollment.revokeCertificate(mine.caller, id), "certificate_not_found");
    await refused(registry.certificates.getCertificate(mine.caller, id), "certificate_not_found");
  }
  assert.ok((await registry.certificates.identifyDevice(peer)).ok);
});

test("certificates are listed by device and status; active includes expired ones", async () => {
  const tenant = await addTenant(registry);
  const a = await enroll(registry, tenant);
  const b = await enroll(registry, tenant);
  const [, first] = await certificates(tenant);
  await registry.enrollment.revokeCertificate(tenant.caller, first!.id);
  registry.clock.advance(31 * DAY);
  const list = async (query: object) =>
    (await registry.certificates.listCertificates(tenant.caller, { ...page, ...query })).items;
  const ids = async (query: object) => (await list(query)).map(({ deviceId }) => deviceId);
  assert.deepEqual(await ids({}), [b.answer.deviceId, a.answer.deviceId]);
  assert.deepEqual(await ids({ status: "active" }), [b.answer.deviceId]);
  assert.deepEqual(await ids({ status: "revoked" }), [a.answer.deviceId]);
  assert.deepEqual(await ids({ deviceId: b.answer.deviceId }), [b.answer.deviceId]);
  assert.deepEqual(await ids({ deviceId: a.answer.deviceId, status: "active" }), []);
  assert.deepEqual(await ids({ deviceId: "nul\0" }), []);
  const { total, skip, limit, items } = await registry.certificates.listCertificates(tenant.caller, {
    skip: 1,
    limit: 1,
  });
  assert.deepEqual([total, skip, limit, items[0]!.deviceId], [2, 1, 1, a.answer.deviceId]);
  const { status, expired } = (await list({ status: "active" }))[0]!;
  assert.deepEqual([status, expired], ["active", true]);
});

test("deleting a device revokes all its certificates, audits each, and drops its sessions", async () => {
  const tenant = await addTenant(registry);
  const { answer, peer } = await enroll(registry, tenant);
  const override = { deviceId: answer.deviceId, acknowledgeSelfEnrollmentOverride: true };
  await connect(await registry.enrollment.issueBundle(tenant.caller, override));
  await registry.enrollment.deleteDevice(tenant.caller, answer.deviceId);
  for (const certificate of await certificates(tenant)) {
    assert.deepEqual([certificate.status, certificate.revocationReason], ["revoked", "device_deleted"]);
  }
  const { items } = await registry.certificates.listCertificateAudit(tenant.caller, page);
  assert.deepEqual(items.map(({ kind }) => kind).sort(), [
    "device_cert_enrolled",
    "device_cert_minted",
    "device_cert_revoked",
    "device_cert_revoked",
  ]);
  assert.equal((await registry.certificates.identifyDevice(peer)).ok, false);
  assert.ok((await drops()).at(-1)!.device_uid !== null);
  await refused(registry.devices.getDevice(tenant.caller, answer.deviceId), "not_found");
  await refused(registry.enrollment.deleteDevice(tenant.caller, answer.deviceId), "not_found");
});

test("the fingerprint of a deleted device enrolls as a new device, without proof", async () => {
  const tenant = await addTenant(registry);
  const { answer, body } = await enroll(registry, tenant);
  await registry.enrollment.deleteDevice(tenant.caller, answer.deviceId);
  const claim = await registry.enrollment.createClaim(tenant.caller, { intendedName: "x" });
  const again = request(claim.claimCode, { hardwareFingerprint: body.hardwareFingerprint });
  const second = await registry.enrollment.redeemClaim({ address: ADDRESS }, again);
  assert.notEqual(second.deviceId, answer.deviceId);
});

test("deleting another tenant's device is not_found", async () => {
  const [mine, other] = [await addTenant(registry), await addTenant(registry)];
  const { answer, peer } = await enroll(registry, other);
  for (const id of [answer.deviceId, "no-such", "nul\0"]) {
    await refused(registry.enrollment.deleteDevice(mine.caller, id), "not_found");
  }
  assert.ok((await registry.certificates.identifyDevice(peer)).ok);
});

test("the database refuses to change the audit and to undo a revocation", async () => {
  const tenant = await addTenant(registry);
  await enroll(registry, tenant);
  const [certificate] = await certificates(tenant);
  await registry.enrollment.revokeCertificate(tenant.caller, certificate!.id);
  const { db } = registry.database;
  await assert.rejects(db.updateTable("certificate_audit").set({ actor: "user:other" }).execute(), /only grows/);
  await assert.rejects(db.deleteFrom("certificate_audit").execute(), /only grows/);
  const undone = { revoked_at: null, revoked_by: null, revocation_reason: null };
  await assert.rejects(db.updateTable("certificates").set(undone).execute(), /stays revoked/);
});
