import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { DAY } from "../../src/lib/clock.ts";
import { addTenant, enroll, peerOf, refused, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

const page = { skip: 0, limit: 50 };
let devices = 0;
async function device(tenant: Tenant) {
  const id = `pump-${++devices}`;
  await registry.devices.createDevice(tenant.caller, { id, name: "Pump", deviceTypeId: tenant.deviceTypeId });
  return id;
}
const issue = (tenant: Tenant, deviceId: string, more: object = {}) =>
  registry.enrollment.issueBundle(tenant.caller, { deviceId, ...more });

test("a bundle contains key, leaf, chain, server CA and PKCS#12, and is valid for a year", async () => {
  const tenant = await addTenant(registry);
  const deviceId = await device(tenant);
  const bundle = await issue(tenant, deviceId);
  const leaf = new X509Certificate(bundle.clientCertPem);
  assert.ok(leaf.publicKey.equals(createPublicKey(createPrivateKey(bundle.privateKeyPem))));
  assert.ok(leaf.verify(new X509Certificate(bundle.clientCertChainPem).publicKey));
  assert.deepEqual(bundle.publishTopics, [`t/${tenant.slug}/telemetry/${deviceId}`]);
  assert.equal(bundle.serverCaBundlePem, "SERVER CA BUNDLE");
  assert.equal(bundle.serialNumber, leaf.serialNumber.toLowerCase());
  assert.ok(Buffer.from(bundle.pkcs12Base64, "base64").length > 1000);
  assert.ok(bundle.pkcs12Passphrase.length >= 24);

  const [record] = (await registry.certificates.listCertificates(tenant.caller, page)).items;
  assert.deepEqual(
    [record!.id, record!.kind, record!.issuedBy, record!.renewAfterUtc],
    [bundle.id, "platform", "system", null],
  );
  assert.equal(record!.expiresAt.getTime() - record!.issuedAt.getTime(), 365 * DAY);
  assert.equal(record!.expiresAt.toISOString(), bundle.certExpiresAt);
  const { items } = await registry.certificates.listCertificateAudit(tenant.caller, page);
  assert.deepEqual(
    items.map((entry) => [entry.kind, entry.actor, entry.certificateId]),
    [["device_cert_minted", "system", bundle.id]],
  );
  const identified = await registry.certificates.identifyDevice(peerOf(bundle.clientCertPem));
  assert.ok(identified.ok);
  assert.equal(identified.deviceId, deviceId);
});

test("the private key and the passphrase of a bundle are not stored in the database", async () => {
  const tenant = await addTenant(registry);
  const bundle = await issue(tenant, await device(tenant));
  const { d } = createPrivateKey(bundle.privateKeyPem).export({ format: "jwk" });
  const secrets = [
    Buffer.from(d!, "base64url").toString("hex"),
    bundle.pkcs12Passphrase,
    bundle.pkcs12Base64.slice(0, 60),
  ];
  const { db } = registry.database;
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`.execute(db);
  assert.ok(tables.length > 20);
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`SELECT t::text AS text FROM ${sql.table(name)} t`.execute(db);
    const text = rows.map((row) => row.text).join("\n");
    if (name === "certificates") assert.ok(text.includes(bundle.serialNumber), "the search finds what is stored");
    for (const secret of secrets) assert.ok(!text.includes(secret), `${name} contains a secret`);
  }
});

test("an unknown device, a deleted one and another tenant's are all device_not_found", async () => {
  const [mine, other] = [await addTenant(registry), await addTenant(registry)];
  const [foreign, gone] = [await device(other), await device(mine)];
  await registry.enrollment.deleteDevice(mine.caller, gone);
  for (const id of [foreign, gone, "no-such", "nul\0", ""]) await refused(issue(mine, id), "device_not_found");
});

test("a third live platform certificate is refused with the count, which excludes expired and revoked ones", async () => {
  const tenant = await addTenant(registry);
  const id = await device(tenant);
  const first = await issue(tenant, id);
  registry.clock.advance(DAY);
  await issue(tenant, id);
  const { extra } = await refused(issue(tenant, id), "device_cert_cap_reached");
  assert.deepEqual(extra, { activeCount: 2, maxActivePlatformCertsPerDevice: 2 });
  registry.clock.advance(364 * DAY);
  await issue(tenant, id);
  assert.equal((await registry.certificates.getCertificate(tenant.caller, first.id)).expired, true);
  const live = (await registry.certificates.listCertificates(tenant.caller, page)).items.filter((c) => !c.expired);
  await registry.enrollment.revokeCertificate(tenant.caller, live[0]!.id);
  await issue(tenant, id);
  await refused(issue(tenant, id), "device_cert_cap_reached");
});

test("a device with a live self-enrolled certificate gets a bundle only with the acknowledgement", async () => {
  const tenant = await addTenant(registry);
  const { answer, peer } = await enroll(registry, tenant);
  await refused(issue(tenant, answer.deviceId), "device_self_enrolled");
  await refused(issue(tenant, answer.deviceId, { acknowledgeSelfEnrollmentOverride: false }), "device_self_enrolled");
  await issue(tenant, answer.deviceId, { acknowledgeSelfEnrollmentOverride: true });
  assert.ok((await registry.certificates.identifyDevice(peer)).ok, "issuing a bundle revokes nothing");
  registry.clock.advance(30 * DAY);
  await issue(tenant, answer.deviceId);
});

test("the cap is checked before the client id, and the client id before the self-enrolled certificate", async () => {
  const tenant = await addTenant(registry);
  const { answer } = await enroll(registry, tenant);
  const id = answer.deviceId;
  const assignClientId = (holder: "device" | "mqtt_client") =>
    registry.database.db.updateTable("client_ids").set({ holder }).where("client_id", "=", id).execute();
  await assignClientId("mqtt_client");
  await refused(issue(tenant, id), "client_id_in_use");
  await assignClientId("device");
  for (let n = 0; n < 2; n++) await issue(tenant, id, { acknowledgeSelfEnrollmentOverride: true });
  await assignClientId("mqtt_client");
  await refused(issue(tenant, id), "device_cert_cap_reached");
});

test("a failing signer is issuance_failed, after every other check", async () => {
  const tenant = await addTenant(registry);
  const id = await device(tenant);
  const workingSigner = registry.issuer.signer;
  registry.issuer.signer = { ...workingSigner, sign: () => Promise.reject(new Error("HSM away")) };
  await refused(issue(tenant, "no-such"), "device_not_found");
  await refused(issue(tenant, id), "issuance_failed");
  registry.issuer.signer = workingSigner;
  assert.equal((await registry.certificates.listCertificates(tenant.caller, page)).total, 0);
});

test("a bundle is expiring soon from thirty days before its expiry, a self-enrolled certificate never", async () => {
  const tenant = await addTenant(registry);
  const id = await device(tenant);
  const bundle = await issue(tenant, id);
  const soon = async () => (await registry.certificates.getCertificate(tenant.caller, bundle.id)).expiringSoon;
  registry.clock.advance(335 * DAY - 1000);
  assert.equal(await soon(), false);
  registry.clock.advance(1000);
  assert.equal(await soon(), true);
  await enroll(registry, tenant);
  registry.clock.advance(30 * DAY - 1000);
  const [selfEnrolled] = (await registry.certificates.listCertificates(tenant.caller, page)).items;
  assert.deepEqual([selfEnrolled!.kind, selfEnrolled!.expiringSoon], ["self_enrolled", false]);
  registry.clock.advance(1000);
  assert.equal(await soon(), false, "an expired certificate is not expiring soon");
});
