import assert from "node:assert/strict";
import { createPublicKey, randomBytes, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { DAY, MINUTE } from "../../src/lib/clock.ts";
import {
  ADDRESS,
  addTenant,
  csrOf,
  enroll,
  newKey,
  peerOf,
  refused,
  request,
  startRegistry,
  type Tenant,
} from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

const from = { address: ADDRESS };
const redeem = (body: ReturnType<typeof request>, peer?: ReturnType<typeof peerOf>) =>
  registry.enrollment.redeemClaim({ ...from, peer }, body);
const claimOf = (tenant: Tenant, more: object = {}) =>
  registry.enrollment.createClaim(tenant.caller, { intendedName: "Pump", ...more });

test("a redemption answers with the fields of spec 2.3 and a leaf for the key of the CSR", async () => {
  const tenant = await addTenant(registry);
  const key = newKey();
  const { answer, claim } = await enroll(registry, tenant, { csr: csrOf(key) });
  const issuedAt = Math.floor(registry.clock.now().getTime() / 1000) * 1000;
  assert.match(answer.deviceId, /^[a-z2-7]{16}$/);
  assert.deepEqual(answer, {
    deviceId: answer.deviceId,
    mqtt: {
      brokerUrl: "mqtts://broker.example.com:8883",
      clientCert: answer.mqtt.clientCert,
      clientCertChain: registry.issuer.chainPem,
      serverCaBundle: "SERVER CA BUNDLE",
      topicPrefix: `t/${tenant.slug}`,
      publishTopics: [`t/${tenant.slug}/telemetry/${answer.deviceId}`],
    },
    certExpiresAt: new Date(issuedAt + 30 * DAY).toISOString(),
    renewAfterUtc: new Date(issuedAt + 21 * DAY).toISOString(),
    renewalEndpoint: "/api/provisioning/cert/renew",
  });
  const leaf = new X509Certificate(answer.mqtt.clientCert);
  assert.ok(leaf.verify(new X509Certificate(answer.mqtt.clientCertChain).publicKey));
  assert.ok(leaf.publicKey.equals(createPublicKey(key)));
  assert.equal(leaf.validToDate.toISOString(), answer.certExpiresAt);

  const device = await registry.devices.getDevice(tenant.caller, answer.deviceId);
  assert.deepEqual([device.name, device.hardwareModel, device.agentVersion], ["Pump", "Pump 3000", "1.0.0"]);
  const record = await registry.enrollment.getClaim(tenant.caller, claim.id);
  assert.deepEqual([record.status, record.usedCount, record.deviceIds], ["used", 1, [answer.deviceId]]);
  const { items } = await registry.certificates.listCertificateAudit(tenant.caller, { skip: 0, limit: 50 });
  const [certificate] = (await registry.certificates.listCertificates(tenant.caller, { skip: 0, limit: 50 })).items;
  assert.deepEqual(items, [
    {
      id: items[0]!.id,
      kind: "device_cert_enrolled",
      at: registry.clock.now(),
      actor: `claim:${claim.id}`,
      deviceId: answer.deviceId,
      certificateId: certificate!.id,
      serialNumber: leaf.serialNumber.toLowerCase(),
      fingerprintSha256: leaf.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  ]);
});

test("a device gets the type and groups of its claim, and the agent's report is stored", async () => {
  const tenant = await addTenant(registry);
  const group = await registry.groups.createGroup(tenant.caller, { name: "Hall" });
  const claim = await claimOf(tenant, { intendedGroupIds: [group.id], intendedDeviceTypeId: tenant.deviceTypeId });
  const { deviceId } = await redeem(
    request(claim.claimCode, {
      hardwareFingerprint: " SN-77 ",
      agentCapabilities: ["ota", "logs"],
      reportedMacAddress: "00:11:22:33:44:55",
    }),
  );
  const device = await registry.devices.getDevice(tenant.caller, deviceId);
  assert.deepEqual(device.groupIds, [group.id]);
  assert.equal(device.deviceTypeId, tenant.deviceTypeId);
  assert.deepEqual(device.agentCapabilities, ["ota", "logs"]);
  assert.deepEqual([device.hardwareFingerprint, device.macAddress], ["SN-77", "00:11:22:33:44:55"]);
});

test("a device without a type gets a certificate without publish topics", async () => {
  const tenant = await addTenant(registry);
  const answer = await redeem(request((await claimOf(tenant)).claimCode));
  assert.deepEqual(answer.mqtt.publishTopics, []);
});

test("a claim of n uses enrolls n devices with different ids and is then exhausted", async () => {
  const tenant = await addTenant(registry);
  const claim = await claimOf(tenant, { maxUses: 3 });
  const ids = new Set<string>();
  for (let use = 0; use < 3; use++) ids.add((await redeem(request(claim.claimCode))).deviceId);
  assert.equal(ids.size, 3);
  await refused(redeem(request(claim.claimCode)), "claim_exhausted");
  assert.deepEqual((await registry.enrollment.getClaim(tenant.caller, claim.id)).deviceIds.sort(), [...ids].sort());
});

test("revoked, expired and exhausted claims are refused in this order, before the CSR is checked", async () => {
  const tenant = await addTenant(registry);
  const revoked = await claimOf(tenant, { expiresInMinutes: 5 });
  await registry.enrollment.revokeClaim(tenant.caller, revoked.id);
  const spent = await claimOf(tenant, { expiresInMinutes: 5 });
  await redeem(request(spent.claimCode));
  const noCsr = { csr: "not a CSR" };
  await refused(redeem(request(spent.claimCode, noCsr)), "claim_exhausted");
  await refused(redeem(request(revoked.claimCode, noCsr)), "claim_revoked");
  registry.clock.advance(5 * MINUTE);
  await refused(redeem(request(spent.claimCode, noCsr)), "claim_expired");
  await refused(redeem(request(revoked.claimCode, noCsr)), "claim_revoked");
});

test("a claim is refused from the instant of its expiry", async () => {
  const tenant = await addTenant(registry);
  const claim = await claimOf(tenant, { expiresInMinutes: 5, maxUses: 2 });
  registry.clock.advance(5 * MINUTE - 1);
  await redeem(request(claim.claimCode));
  registry.clock.advance(1);
  await refused(redeem(request(claim.claimCode)), "claim_expired");
});

test("an invalid CSR and a blocked key are invalid_csr and count no use", async () => {
  const tenant = await addTenant(registry);
  const claim = await claimOf(tenant);
  await refused(redeem(request(claim.claimCode, { csr: "-----BEGIN" })), "invalid_csr");
  const key = newKey();
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(spki)));
  const at = registry.clock.now();
  const blocked = { spki_sha256: digest, reason: "leaked", blocked_at: at };
  await registry.database.db.insertInto("blocked_keys").values(blocked).execute();
  await refused(redeem(request(claim.claimCode, { csr: csrOf(key) })), "invalid_csr");
  assert.equal((await registry.enrollment.getClaim(tenant.caller, claim.id)).usedCount, 0);
});

test("a blank, too long or unprintable report is invalid_request before the code is looked up", async () => {
  const unknown = "CLAIM-0000-0000-0000";
  for (const bad of [
    { hardwareFingerprint: "  " },
    { hardwareModel: "x".repeat(257) },
    { agentVersion: "nul\0" },
    { agentCapabilities: ["ok", "\ud800"] },
    { reportedMacAddress: "" },
  ]) {
    await refused(redeem(request(unknown, bad)), "invalid_request");
  }
});

test("re-enrolling needs a valid certificate of the same device", async () => {
  const tenant = await addTenant(registry);
  const first = await enroll(registry, tenant, { hardwareFingerprint: "SN-1" });
  const other = await enroll(registry, tenant);
  const claim = await claimOf(tenant, { maxUses: 5 });
  const again = () => request(claim.claimCode, { hardwareFingerprint: " sn-1 ", hardwareModel: "Pump 4000" });
  const code = "reenrollment_proof_required";
  await refused(redeem(again()), code);
  await refused(redeem(again(), other.peer), code);
  await refused(redeem(again(), { ...first.peer, verified: false }), code);
  await refused(redeem(again(), { der: randomBytes(300), verified: true }), code);
  assert.equal((await registry.enrollment.getClaim(tenant.caller, claim.id)).usedCount, 0);

  const answer = await redeem(again(), first.peer);
  assert.equal(answer.deviceId, first.answer.deviceId);
  const identified = await registry.certificates.identifyDevice(first.peer);
  assert.ok(identified.ok, "the earlier certificate stays valid");
  const device = await registry.devices.getDevice(tenant.caller, answer.deviceId);
  assert.deepEqual([device.hardwareModel, device.deviceTypeId], ["Pump 4000", tenant.deviceTypeId]);
});

test("an expired or revoked certificate does not prove a device", async () => {
  const tenant = await addTenant(registry);
  const first = await enroll(registry, tenant);
  const again = async (peer = first.peer) => {
    const claim = await claimOf(tenant);
    return redeem(request(claim.claimCode, { hardwareFingerprint: first.body.hardwareFingerprint }), peer);
  };
  const second = await again();
  const [newest] = (await registry.certificates.listCertificates(tenant.caller, { skip: 0, limit: 1 })).items;
  await registry.enrollment.revokeCertificate(tenant.caller, newest!.id);
  await refused(again(peerOf(second.mqtt.clientCert)), "reenrollment_proof_required");
  registry.clock.advance(30 * DAY);
  await refused(again(), "reenrollment_proof_required");
});

test("re-enrolling changes type and groups only if the claim names them", async () => {
  const tenant = await addTenant(registry);
  const [hall, yard] = [
    await registry.groups.createGroup(tenant.caller, { name: "Hall" }),
    await registry.groups.createGroup(tenant.caller, { name: "Yard" }),
  ];
  const type = await registry.devices.createDeviceType(tenant.caller, {
    name: "Fan",
    publishTopics: ["f/{deviceId}"],
    subscribeTopics: ["c/{deviceId}"],
  });
  const claim = await claimOf(tenant, { intendedGroupIds: [hall.id], intendedDeviceTypeId: tenant.deviceTypeId });
  const body = request(claim.claimCode);
  const first = await redeem(body);
  const peer = peerOf(first.mqtt.clientCert);
  const again = async (more: object) => redeem({ ...body, claimCode: (await claimOf(tenant, more)).claimCode }, peer);

  assert.deepEqual((await again({})).mqtt.publishTopics, first.mqtt.publishTopics);
  assert.deepEqual((await registry.devices.getDevice(tenant.caller, first.deviceId)).groupIds, [hall.id]);

  const moved = await again({ intendedGroupIds: [yard.id], intendedDeviceTypeId: type.id });
  assert.deepEqual(moved.mqtt.publishTopics, [`t/${tenant.slug}/f/${first.deviceId}`]);
  assert.deepEqual(moved.mqtt.subscribeTopics, [`t/${tenant.slug}/c/${first.deviceId}`]);
  assert.ok(!("subscribeTopics" in first.mqtt), "as specified where there are none");
  const device = await registry.devices.getDevice(tenant.caller, first.deviceId);
  assert.deepEqual([device.groupIds, device.deviceTypeId], [[yard.id], type.id]);
});

test("in simultaneous redemptions, each device has its own claim's type and groups, and each refusal its own reason", async () => {
  const tenant = await addTenant(registry);
  const [hall, yard] = [
    await registry.groups.createGroup(tenant.caller, { name: "Hall" }),
    await registry.groups.createGroup(tenant.caller, { name: "Yard" }),
  ];
  const inHall = await claimOf(tenant, {
    intendedGroupIds: [hall.id],
    intendedDeviceTypeId: tenant.deviceTypeId,
    maxUses: 3,
  });
  const inYard = await claimOf(tenant, { intendedGroupIds: [hall.id, yard.id], maxUses: 3 });
  const twin = { hardwareFingerprint: "SN-twin" };
  const codes = [inHall, inYard, inHall, inYard].map(({ claimCode }) => claimCode);
  const outcomes = await Promise.allSettled([
    ...codes.map((code) => redeem(request(code, { agentCapabilities: ["logs"] }))),
    redeem(request(inHall.claimCode, twin)),
    redeem(request(inYard.claimCode, twin)),
    redeem(request(inYard.claimCode, { csr: "no CSR" })),
  ]);
  const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
  assert.deepEqual(refusals.sort(), ["invalid_csr", "reenrollment_proof_required"]);
  const enrolled = outcomes.slice(0, 4).map((each) => (each.status === "fulfilled" ? each.value : assert.fail()));
  for (const [at, { deviceId, mqtt }] of enrolled.entries()) {
    const device = await registry.devices.getDevice(tenant.caller, deviceId);
    const ofHall = at % 2 === 0;
    assert.deepEqual(device.groupIds.sort(), (ofHall ? [hall.id] : [hall.id, yard.id]).sort());
    assert.equal(device.deviceTypeId, ofHall ? tenant.deviceTypeId : null);
    assert.deepEqual(mqtt.publishTopics, ofHall ? [`t/${tenant.slug}/telemetry/${deviceId}`] : []);
    assert.deepEqual(device.agentCapabilities, ["logs"]);
    assert.ok((await registry.certificates.identifyDevice(peerOf(mqtt.clientCert))).ok);
  }
  const used = await Promise.all([inHall, inYard].map(({ id }) => registry.enrollment.getClaim(tenant.caller, id)));
  assert.deepEqual(used.map(({ usedCount }) => usedCount).sort(), [2, 3]);
});

test("the same fingerprint enrolls once in each tenant", async () => {
  const [one, two] = [await addTenant(registry), await addTenant(registry)];
  const a = await enroll(registry, one, { hardwareFingerprint: "SN-9" });
  const b = await enroll(registry, two, { hardwareFingerprint: "SN-9" });
  assert.notEqual(a.answer.deviceId, b.answer.deviceId);
});

test("a key that two devices use enrolls both and is a finding on each", async () => {
  const tenant = await addTenant(registry);
  const csr = csrOf();
  const [a, b] = [await enroll(registry, tenant, { csr }), await enroll(registry, tenant, { csr })];
  const found = await registry.database.db
    .selectFrom("device_findings as f")
    .innerJoin("devices as d", "d.uid", "f.device_uid")
    .select(["d.id", "f.kind"])
    .where("f.tenant_id", "=", tenant.caller.tenantId)
    .execute();
  assert.deepEqual(
    found.map(({ id }) => id).sort(),
    [a.answer.deviceId, b.answer.deviceId].sort(),
    "one finding per device",
  );
});

test("a signer that fails or does not answer is issuance_failed, and nothing is written", async () => {
  const broken = await startRegistry({ signTimeoutMs: 50 });
  const tenant = await addTenant(broken);
  const claim = await broken.enrollment.createClaim(tenant.caller, { intendedName: "x" });
  const workingSigner = broken.issuer.signer;
  const outcomes: (() => Promise<Buffer>)[] = [
    () => Promise.reject(new Error("HSM away")),
    () => new Promise(() => undefined),
    async () => Buffer.from("no signature"),
  ];
  for (const sign of outcomes) {
    broken.issuer.signer = { ...workingSigner, sign };
    await refused(broken.enrollment.redeemClaim(from, request(claim.claimCode)), "issuance_failed");
  }
  const { usedCount, status } = await broken.enrollment.getClaim(tenant.caller, claim.id);
  assert.deepEqual([usedCount, status], [0, "pending"]);
  for (const table of ["devices", "certificates", "client_ids", "certificate_audit"] as const) {
    assert.equal((await broken.database.db.selectFrom(table).select("tenant_id").execute()).length, 0, table);
  }
  broken.issuer.signer = workingSigner;
  await broken.enrollment.redeemClaim(from, request(claim.claimCode));
  await broken.stop();
});

test("the claim is checked before anything is signed", async () => {
  const tenant = await addTenant(registry);
  const workingSigner = registry.issuer.signer;
  registry.issuer.signer = { ...workingSigner, sign: () => Promise.reject(new Error("must not be called")) };
  await refused(redeem(request("CLAIM-0000-0000-0001")), "invalid_claim_code");
  const claim = await claimOf(tenant);
  await registry.enrollment.revokeClaim(tenant.caller, claim.id);
  await refused(redeem(request(claim.claimCode)), "claim_revoked");
  registry.issuer.signer = workingSigner;
});

test("a cached claim that another process has ended is refused for the stored reason", async () => {
  const tenant = await addTenant(registry);
  const reasons = {
    claim_revoked: "status = 'revoked', revoked_at = now(), revoked_by = 'system'",
    claim_exhausted: "status = 'used', used_count = max_uses",
    claim_expired: "expires_at = created_at",
  };
  for (const [code, change] of Object.entries(reasons)) {
    const claim = await claimOf(tenant);
    await sql`UPDATE claims SET ${sql.raw(change)} WHERE id = ${claim.id}`.execute(registry.database.db);
    await refused(redeem(request(claim.claimCode)), code);
    await refused(redeem(request(claim.claimCode)), code);
  }
});
