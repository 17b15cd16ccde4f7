import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ADDRESS, addTenant, refused, request, startRegistry, type Tenant } from "../harness/enrollment.ts";

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry();
});
after(() => registry.stop());

const claimOf = (tenant: Tenant, intendedName: string, maxUses = 1) =>
  registry.enrollment.createClaim(tenant.caller, { intendedName, maxUses });
/** Enrolls a device with a claim and returns its name. */
const enrolledName = async (tenant: Tenant, claimCode: string, more: object = {}) => {
  const { deviceId } = await registry.enrollment.redeemClaim({ address: ADDRESS }, request(claimCode, { ...more }));
  return (await registry.devices.getDevice(tenant.caller, deviceId)).name;
};

test("devices of a claim are numbered, and the next claim with the same name continues", async () => {
  const tenant = await addTenant(registry);
  const first = await claimOf(tenant, "Pump {n}, hall 3", 2);
  assert.equal(await enrolledName(tenant, first.claimCode), "Pump 1, hall 3");
  assert.equal(await enrolledName(tenant, first.claimCode), "Pump 2, hall 3");
  const second = await claimOf(tenant, "Pump {n}, hall 3");
  assert.equal(await enrolledName(tenant, second.claimCode), "Pump 3, hall 3");
  assert.equal(await enrolledName(tenant, (await claimOf(tenant, "Fan {n}")).claimCode), "Fan 1");
  assert.equal(await enrolledName(tenant, (await claimOf(tenant, "Pump {x}")).claimCode), "Pump {x}");
});

test("numbers begin after the greatest one among the tenant's devices, and ignore other names", async () => {
  const [tenant, other] = [await addTenant(registry), await addTenant(registry)];
  for (const name of ["Pump 7", "Pump 12", "Pump 99 old", "Pump x", "Pump ", "Pump 99999999999"])
    await registry.devices.createDevice(tenant.caller, { name });
  await registry.devices.createDevice(other.caller, { name: "Pump 40" });
  const claim = await claimOf(tenant, "Pump {n}");
  assert.equal(await enrolledName(tenant, claim.claimCode), "Pump 13");
});

test("simultaneous redemptions of two claims with one name get all numbers once", async () => {
  const tenant = await addTenant(registry);
  const claims = [await claimOf(tenant, "Pump {n}", 15), await claimOf(tenant, "Pump {n}", 15)];
  const fan = await claimOf(tenant, "Fan {n}", 10);
  const codes = Array.from({ length: 30 }, (_, at) => claims[at % 2]!.claimCode);
  const pumps = Promise.all(codes.map((code) => enrolledName(tenant, code)));
  const fans = Promise.all(Array.from({ length: 10 }, () => enrolledName(tenant, fan.claimCode)));
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${name} ${at + 1}`).sort();
  assert.deepEqual((await pumps).sort(), numbered("Pump", 30));
  assert.deepEqual((await fans).sort(), numbered("Fan", 10));
});

test("a name can contain the fingerprint, cut so that the name and its number fit", async () => {
  const tenant = await addTenant(registry);
  const named = await claimOf(tenant, "Pump {fingerprint}");
  assert.equal(await enrolledName(tenant, named.claimCode, { hardwareFingerprint: " SN-7 " }), "Pump SN-7");
  const both = await claimOf(tenant, "{fingerprint} no. {n}", 2);
  const name = await enrolledName(tenant, both.claimCode, { hardwareFingerprint: "x".repeat(200) });
  assert.equal(name, `${"x".repeat(114)} no. 1`);
  assert.equal(name.length, 120);
  assert.equal(await enrolledName(tenant, both.claimCode, { hardwareFingerprint: "{n}" }), "{n} no. 2");
});

test("a placeholder that occurs twice, or without room for its number, is refused", async () => {
  const tenant = await addTenant(registry);
  await refused(claimOf(tenant, "{n} {n}"), "invalid_request");
  await refused(claimOf(tenant, "{fingerprint}{fingerprint}"), "invalid_request");
  await refused(claimOf(tenant, `${"x".repeat(111)}{n}`), "invalid_request");
  await claimOf(tenant, `${"x".repeat(110)}{n}`);
});
