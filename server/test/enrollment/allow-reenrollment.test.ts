import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { ADDRESS, addTenant, enroll, refused, request, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

const redeem = (claimCode: string, hardwareFingerprint: string) =>
  registry.enrollment.redeemClaim({ address: ADDRESS }, request(claimCode, { hardwareFingerprint }));
const allow = (tenant: Tenant, id: string, more: object = {}) =>
  registry.enrollment.allowReenrollment(tenant.caller, id, more);

test("a device enrolls again without proof, once, and keeps its id, name and group", async () => {
  const tenant = await addTenant(registry);
  const group = await registry.groups.createGroup(tenant.caller, { name: "Hall" });
  const { answer, body } = await enroll(registry, tenant);
  const { deviceTypeId } = await registry.devices.getDevice(tenant.caller, answer.deviceId);
  const edit = { name: "Feed pump", deviceTypeId, groupIds: [group.id] };
  await registry.devices.replaceDevice(tenant.caller, answer.deviceId, edit);
  await registry.enrollment.revokeDeviceCertificates(tenant.caller, answer.deviceId);
  const claim = await allow(tenant, answer.deviceId);
  assert.deepEqual([claim.reenrollsDeviceId, claim.maxUses], [answer.deviceId, 1]);
  const again = await redeem(claim.claimCode, body.hardwareFingerprint);
  assert.equal(again.deviceId, answer.deviceId);
  assert.deepEqual(again.mqtt.publishTopics, answer.mqtt.publishTopics);
  const device = await registry.devices.getDevice(tenant.caller, answer.deviceId);
  assert.deepEqual([device.name, device.groupIds, device.certificateState], ["Feed pump", [group.id], "active"]);
  await refused(redeem(claim.claimCode, body.hardwareFingerprint), "claim_exhausted");
  const used = await registry.enrollment.getClaim(tenant.caller, claim.id);
  assert.deepEqual([used.status, used.deviceIds], ["used", [answer.deviceId]]);
});

test("no other device can redeem the claim, known or new, and none of its uses is counted", async () => {
  const tenant = await addTenant(registry);
  const [mine, other] = [await enroll(registry, tenant), await enroll(registry, tenant)];
  const claim = await allow(tenant, mine.answer.deviceId);
  await refused(redeem(claim.claimCode, other.body.hardwareFingerprint), "invalid_claim_request");
  await refused(redeem(claim.claimCode, "SN-new"), "invalid_claim_request");
  assert.equal((await registry.enrollment.getClaim(tenant.caller, claim.id)).usedCount, 0);
  const ordinary = await registry.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  await refused(redeem(ordinary.claimCode, mine.body.hardwareFingerprint), "reenrollment_proof_required");
});

test("another permission, a revocation, expiry and the device's deletion end the claim", async () => {
  const tenant = await addTenant(registry);
  const { answer, body } = await enroll(registry, tenant);
  const first = await allow(tenant, answer.deviceId);
  const second = await allow(tenant, answer.deviceId, { expiresInMinutes: 5 });
  await refused(redeem(first.claimCode, body.hardwareFingerprint), "claim_revoked");
  registry.clock.advance(5 * MINUTE);
  await refused(redeem(second.claimCode, body.hardwareFingerprint), "claim_expired");
  const third = await allow(tenant, answer.deviceId);
  await registry.enrollment.deleteDevice(tenant.caller, answer.deviceId);
  await refused(redeem(third.claimCode, body.hardwareFingerprint), "claim_revoked");
});

test("ten simultaneous redemptions enroll the device once", async () => {
  const tenant = await addTenant(registry);
  const { answer, body } = await enroll(registry, tenant);
  const claim = await allow(tenant, answer.deviceId);
  const all = Array.from({ length: 10 }, () => redeem(claim.claimCode, body.hardwareFingerprint));
  const outcomes = await Promise.allSettled(all);
  const codes = outcomes.map((each) => (each.status === "rejected" ? each.reason.code : "ok"));
  assert.deepEqual(codes.sort(), [...Array(9).fill("claim_exhausted"), "ok"]);
});

test("a device that never enrolled itself, an unknown one and one of another tenant are refused", async () => {
  const [tenant, other] = [await addTenant(registry), await addTenant(registry)];
  const added = await registry.devices.createDevice(tenant.caller, { name: "Added" });
  await refused(allow(tenant, added.id), "invalid_request");
  await refused(allow(tenant, "unknown"), "not_found");
  const { answer } = await enroll(registry, other);
  await refused(allow(tenant, answer.deviceId), "not_found");
});

test("the permission is audited without the code", async () => {
  const tenant = await addTenant(registry);
  const { answer } = await enroll(registry, tenant);
  const claim = await allow(tenant, answer.deviceId);
  const { items } = await registry.access.listAdminActs(tenant.caller, { skip: 0, limit: 5 });
  const entry = items.find(({ act }) => act === "device.allow-reenrollment")!;
  assert.equal(entry.target, answer.deviceId);
  assert.ok(!JSON.stringify(entry).includes(claim.claimCode));
});
