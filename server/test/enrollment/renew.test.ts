import assert from "node:assert/strict";
import { createPublicKey, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { DAY } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import { ADDRESS, addTenant, csrOf, enroll, newKey, peerOf, refused, startRegistry } from "../harness/enrollment.ts";
import { eventually } from "../harness/eventually.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

const renew = (peer: ReturnType<typeof peerOf> | undefined, csr = csrOf()) =>
  registry.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr });
const page = { skip: 0, limit: 50 };

test("a renewal answers with a flat body and a leaf of thirty days, and replaces the old certificate", async () => {
  const tenant = await addTenant(registry);
  const { answer: enrolled, peer } = await enroll(registry, tenant);
  registry.clock.advance(21 * DAY);
  const key = newKey();
  const answer = await renew(peer, csrOf(key));
  const issuedAt = Math.floor(registry.clock.now().getTime() / 1000) * 1000;
  assert.deepEqual(answer, {
    clientCert: answer.clientCert,
    clientCertChain: registry.issuer.chainPem,
    serverCaBundle: "SERVER CA BUNDLE",
    certExpiresAt: new Date(issuedAt + 30 * DAY).toISOString(),
    renewAfterUtc: new Date(issuedAt + 21 * DAY).toISOString(),
    publishTopics: enrolled.mqtt.publishTopics,
  });
  const leaf = new X509Certificate(answer.clientCert);
  assert.ok(leaf.publicKey.equals(createPublicKey(key)));

  const [fresh, old] = (await registry.certificates.listCertificates(tenant.caller, page)).items;
  assert.deepEqual(
    [old!.status, old!.revocationReason, old!.supersededById, old!.revokedBy],
    ["revoked", "superseded", fresh!.id, `device:${enrolled.deviceId}`],
  );
  assert.deepEqual([fresh!.status, fresh!.kind, fresh!.deviceId], ["active", "self_enrolled", enrolled.deviceId]);
  const { items } = await registry.certificates.listCertificateAudit(tenant.caller, page);
  assert.deepEqual(
    items.map(({ kind, actor, serialNumber, previousSerialNumber }) => [
      kind,
      actor,
      serialNumber,
      previousSerialNumber,
    ]),
    [
      ["device_cert_renewed", `device:${enrolled.deviceId}`, fresh!.serialNumber, old!.serialNumber],
      ["device_cert_enrolled", items[1]!.actor, old!.serialNumber, undefined],
    ],
  );
});

test("a renewal drops no session", async () => {
  const { peer } = await enroll(registry, await addTenant(registry));
  const before = await registry.database.db.selectFrom("session_drops").selectAll().execute();
  await renew(peer);
  assert.deepEqual(await registry.database.db.selectFrom("session_drops").selectAll().execute(), before);
});

test("the same key may be renewed", async () => {
  const key = newKey();
  const { peer } = await enroll(registry, await addTenant(registry), { csr: csrOf(key) });
  const { clientCert } = await renew(peer, csrOf(key));
  assert.ok(new X509Certificate(clientCert).checkPrivateKey(key));
});

test("a renewal with the replaced certificate is cert_invalid, and one with the new certificate succeeds", async () => {
  const { peer } = await enroll(registry, await addTenant(registry));
  const { clientCert } = await renew(peer);
  await refused(renew(peer), "cert_invalid");
  await renew(peerOf(clientCert));
});

test("a missing, unverified, unknown, revoked or expired certificate is cert_invalid", async () => {
  const tenant = await addTenant(registry);
  const { peer } = await enroll(registry, tenant);
  await refused(renew(undefined), "cert_invalid");
  await refused(renew({ ...peer, verified: false }), "cert_invalid");
  await refused(renew(peerOf(registry.issuer.chainPem)), "cert_invalid");
  await refused(renew(undefined, "not a CSR"), "cert_invalid");
  const { peer: gone } = await enroll(registry, tenant);
  const [newest] = (await registry.certificates.listCertificates(tenant.caller, page)).items;
  await registry.enrollment.revokeCertificate(tenant.caller, newest!.id);
  await refused(renew(gone), "cert_invalid");
  registry.clock.advance(30 * DAY);
  await refused(renew(peer), "cert_invalid");
});

test("a certificate can be renewed until the millisecond before it expires", async () => {
  const { peer, answer } = await enroll(registry, await addTenant(registry));
  registry.clock.advance(Date.parse(answer.certExpiresAt) - registry.clock.now().getTime() - 1);
  await renew(peer);
});

test("an invalid CSR is invalid_csr and leaves the certificate valid", async () => {
  const { peer } = await enroll(registry, await addTenant(registry));
  await refused(renew(peer, "not a CSR"), "invalid_csr");
  assert.ok((await registry.certificates.identifyDevice(peer)).ok);
});

test("a failing signer is issuance_failed and leaves the certificate valid", async () => {
  const { peer } = await enroll(registry, await addTenant(registry));
  const workingSigner = registry.issuer.signer;
  registry.issuer.signer = { ...workingSigner, sign: () => Promise.reject(new Error("HSM away")) };
  await refused(renew(peer), "issuance_failed");
  registry.issuer.signer = workingSigner;
  assert.ok((await registry.certificates.identifyDevice(peer)).ok);
});

test("a device that keeps using a revoked certificate costs one signature", async () => {
  const tenant = await addTenant(registry);
  const { peer } = await enroll(registry, tenant);
  const workingSigner = registry.issuer.signer;
  let signatures = 0;
  const sign: typeof workingSigner.sign = (tbs) => {
    signatures++;
    return workingSigner.sign(tbs);
  };
  registry.issuer.signer = { ...workingSigner, sign };
  const [certificate] = (await registry.certificates.listCertificates(tenant.caller, page)).items;
  await registry.enrollment.revokeCertificate(tenant.caller, certificate!.id);
  for (let turn = 0; turn < 3; turn++) await refused(renew(peer), "cert_invalid");
  assert.equal(signatures, 1);
  registry.clock.advance(30 * DAY);
  const { peer: other } = await enroll(registry, tenant);
  signatures = 0;
  await refused(renew(peer), "cert_invalid");
  await refused(renew(other, "not a CSR"), "invalid_csr");
  assert.equal(signatures, 0);
  registry.issuer.signer = workingSigner;
});

test("a renewal whose statement reaches PostgreSQL too late is decided by the records at that time", async () => {
  const late = await startRegistry({ databaseTime: () => new Date(0) });
  try {
    const tenant = await addTenant(late);
    const { peer, answer } = await enroll(late, tenant);
    const { clientCert } = await late.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr: csrOf() });
    const { items } = await late.certificates.listCertificates(tenant.caller, { ...page, deviceId: answer.deviceId });
    assert.deepEqual(
      items.map(({ status }) => status),
      ["active", "revoked"],
    );
    assert.ok((await late.certificates.identifyDevice(peerOf(clientCert))).ok);
  } finally {
    await late.stop();
  }
});

/** Waits until a statement of this database waits for a lock. */
async function lockAwaited() {
  const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(async () => (await waiting.execute(registry.database.db)).rows.length > 0);
}

// The embedded database has one connection, so there are no two concurrent transactions.
const withSeveralConnections = onPostgres ? test : () => undefined;
withSeveralConnections("a device whose row is locked delays no renewal of another device or tenant", async () => {
  const [one, two] = [await addTenant(registry), await addTenant(registry)];
  const [locked, beside] = [await enroll(registry, one), await enroll(registry, one)];
  const others = [await enroll(registry, two), await enroll(registry, two)];
  let isRenewed = false;
  const delayed = await registry.database.db.transaction().execute(async (tx) => {
    await tx.selectFrom("devices").where("id", "=", locked.answer.deviceId).forUpdate().select("uid").execute();
    const delayed = renew(locked.peer).finally(() => {
      isRenewed = true;
    });
    await Promise.all([renew(others[0]!.peer), renew(beside.peer)]);
    await lockAwaited();
    await renew(others[1]!.peer);
    assert.equal(isRenewed, false);
    return { delayed };
  });
  const { clientCert } = await delayed.delayed;
  assert.ok((await registry.certificates.identifyDevice(peerOf(clientCert))).ok);
});

withSeveralConnections("a renewal that waits for the deletion of its device is refused after it", async () => {
  const tenant = await addTenant(registry);
  const { peer, answer } = await enroll(registry, tenant);
  const renewal = await registry.database.db.transaction().execute(async (tx) => {
    await tx.selectFrom("devices").where("id", "=", answer.deviceId).forUpdate().select("uid").execute();
    const renewal = refused(renew(peer), "cert_invalid");
    await lockAwaited();
    await tx
      .updateTable("devices")
      .set({ deleted_at: registry.clock.now() })
      .where("id", "=", answer.deviceId)
      .execute();
    return { renewal };
  });
  await renewal.renewal;
});

test("a renewal resolves the topics from the current device type", async () => {
  const tenant = await addTenant(registry);
  const { peer, answer } = await enroll(registry, tenant);
  await registry.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, {
    publishTopics: ["a/{deviceId}", "{deviceId}/b"],
    subscribeTopics: ["commands/{deviceId}"],
  });
  const before = await registry.certificates.identifyDevice(peer);
  assert.ok(before.ok);
  assert.deepEqual(before.publishTopics, answer.mqtt.publishTopics, "a changed type applies to the next certificate");
  const renewed = await renew(peer);
  assert.deepEqual(renewed.subscribeTopics, [`t/${tenant.slug}/commands/${answer.deviceId}`]);
  const after = await registry.certificates.identifyDevice(peerOf(renewed.clientCert));
  assert.ok(after.ok);
  assert.deepEqual(after.publishTopics, [
    `t/${tenant.slug}/a/${answer.deviceId}`,
    `t/${tenant.slug}/${answer.deviceId}/b`,
  ]);
  assert.deepEqual(after.subscribeTopics, [`t/${tenant.slug}/commands/${answer.deviceId}`]);
});

test("the certificate of a bundle is renewed into a self-enrolled one of thirty days", async () => {
  const tenant = await addTenant(registry);
  await registry.devices.createDevice(tenant.caller, { id: "by-hand", name: "By hand" });
  const bundle = await registry.enrollment.issueBundle(tenant.caller, { deviceId: "by-hand" });
  await renew(peerOf(bundle.clientCertPem));
  const [fresh] = (await registry.certificates.listCertificates(tenant.caller, page)).items;
  assert.equal(fresh!.kind, "self_enrolled");
  assert.equal(fresh!.expiresAt.getTime() - fresh!.issuedAt.getTime(), 30 * DAY);
});

test("an unidentified peer is reported with the reason and the device of its certificate", async () => {
  const tenant = await addTenant(registry);
  const { peer, answer } = await enroll(registry, tenant);
  const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
  const recorded = {
    tenantId: tenant.caller.tenantId,
    deviceId: answer.deviceId,
    serialNumber: new X509Certificate(answer.mqtt.clientCert).serialNumber.toLowerCase(),
    fingerprintSha256: fingerprintOf(answer.mqtt.clientCert),
  };
  const identify = registry.certificates.identifyDevice;
  assert.deepEqual(await identify({ ...peer, verified: false }), { ok: false, reason: "unverified", ...recorded });
  const { chainPem } = registry.issuer;
  const unknown = { ok: false, reason: "unknown", fingerprintSha256: fingerprintOf(chainPem) };
  assert.deepEqual(await identify(peerOf(chainPem)), unknown);
  registry.clock.advance(30 * DAY);
  assert.deepEqual(await identify(peer), { ok: false, reason: "expired", ...recorded });
  await registry.enrollment.deleteDevice(tenant.caller, answer.deviceId);
  assert.deepEqual(await identify(peer), { ok: false, reason: "revoked", ...recorded });
});
