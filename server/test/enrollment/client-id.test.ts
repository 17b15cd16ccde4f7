import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { DAY } from "../../src/lib/clock.ts";
import { type Ids, randomIds } from "../../src/lib/ids.ts";
import { ADDRESS, addTenant, csrOf, enroll, peerOf, refused, request, startRegistry } from "../harness/enrollment.ts";

/** The device ids that the next enrollments draw. */
const drawn: string[] = [];
const ids: Ids = { ...randomIds, deviceId: () => drawn.shift() ?? randomIds.deviceId() };

let registry: Awaited<ReturnType<typeof startRegistry>>;
before(async () => {
  registry = await startRegistry({ ids });
});
after(() => registry.stop());

/** Creates a device with the given id and a bundle, in a new tenant. */
async function bundled(id: string) {
  const tenant = await addTenant(registry);
  await registry.devices.createDevice(tenant.caller, { id, name: id });
  const bundle = await registry.enrollment.issueBundle(tenant.caller, { deviceId: id });
  return { tenant, bundle };
}

test("nothing is issued for a client id that another tenant's live certificate uses", async () => {
  const { bundle, tenant: owner } = await bundled("pump-1");
  const other = await addTenant(registry);
  await registry.devices.createDevice(other.caller, { id: "pump-1", name: "Same name" });
  const issue = () => registry.enrollment.issueBundle(other.caller, { deviceId: "pump-1" });
  await refused(issue(), "client_id_in_use");
  assert.equal((await registry.certificates.listCertificates(other.caller, { skip: 0, limit: 50 })).total, 0);

  await registry.enrollment.revokeCertificate(owner.caller, bundle.id);
  await issue();
  await refused(registry.enrollment.issueBundle(owner.caller, { deviceId: "pump-1" }), "client_id_in_use");
});

test("a client id is free at the instant its last live certificate expires", async () => {
  await bundled("pump-2");
  const other = await addTenant(registry);
  await registry.devices.createDevice(other.caller, { id: "pump-2", name: "Same name" });
  registry.clock.advance(365 * DAY - 1000);
  await refused(registry.enrollment.issueBundle(other.caller, { deviceId: "pump-2" }), "client_id_in_use");
  registry.clock.advance(1000);
  await registry.enrollment.issueBundle(other.caller, { deviceId: "pump-2" });
});

test("after a bundle was renewed, the client id is free when the renewed certificate expires", async () => {
  const { bundle, tenant: owner } = await bundled("pump-3");
  const peer = peerOf(bundle.clientCertPem);
  const other = await addTenant(registry);
  await registry.devices.createDevice(other.caller, { id: "pump-3", name: "Same name" });
  // The renewal's thirty days replace the bundle's year.
  await registry.enrollment.renewCertificate({ address: ADDRESS, peer }, { csr: csrOf() });
  registry.clock.advance(30 * DAY - 1000);
  await refused(registry.enrollment.issueBundle(other.caller, { deviceId: "pump-3" }), "client_id_in_use");
  registry.clock.advance(1000);
  await registry.enrollment.issueBundle(other.caller, { deviceId: "pump-3" });
  await refused(registry.enrollment.issueBundle(owner.caller, { deviceId: "pump-3" }), "client_id_in_use");
});

test("deleting a device frees its client id immediately", async () => {
  const { tenant } = await bundled("pump-4");
  await registry.enrollment.deleteDevice(tenant.caller, "pump-4");
  const { bundle } = await bundled("pump-4");
  assert.equal(bundle.deviceId, "pump-4");
});

test("a redemption refused for its client id counts no use, and the next one draws another id", async () => {
  await bundled("pump-5");
  const tenant = await addTenant(registry);
  const claim = await registry.enrollment.createClaim(tenant.caller, { intendedName: "x" });
  drawn.push("pump-5");
  const redeem = () => registry.enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode));
  await refused(redeem(), "client_id_in_use");
  const record = await registry.enrollment.getClaim(tenant.caller, claim.id);
  assert.deepEqual([record.usedCount, record.lastRedeemedAt], [0, null]);
  assert.notEqual((await redeem()).deviceId, "pump-5");
});

test("a drawn id that a device of the tenant already has is client_id_in_use and counts no use", async () => {
  const tenant = await addTenant(registry);
  await registry.devices.createDevice(tenant.caller, { id: "pump-6", name: "By hand" });
  const claim = await registry.enrollment.createClaim(tenant.caller, { intendedName: "x" });
  drawn.push("pump-6");
  const redeem = () => registry.enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode));
  await refused(redeem(), "client_id_in_use");
  await redeem();
});

test("the client id of a registered MQTT client is in use, whether it is connected or not", async () => {
  const tenant = await addTenant(registry);
  await registry.connections.createMqttClient(tenant.caller, {
    clientId: "gateway-1",
    username: "gateway-1",
    publish: [],
    subscribe: [],
  });
  await registry.devices.createDevice(tenant.caller, { id: "gateway-1", name: "Gateway" });
  await refused(registry.enrollment.issueBundle(tenant.caller, { deviceId: "gateway-1" }), "client_id_in_use");
  const claim = await registry.enrollment.createClaim(tenant.caller, { intendedName: "x" });
  drawn.push("gateway-1");
  await refused(registry.enrollment.redeemClaim({ address: ADDRESS }, request(claim.claimCode)), "client_id_in_use");
});

test("registering an MQTT client under the id of a device with a live certificate is refused", async () => {
  const { tenant, bundle } = await bundled("pump-7");
  const register = () =>
    registry.connections.createMqttClient(tenant.caller, {
      clientId: "pump-7",
      username: "user-7",
      publish: [],
      subscribe: [],
    });
  await assert.rejects(register());
  await registry.enrollment.revokeCertificate(tenant.caller, bundle.id);
  await register();
});

test("a renewal is never refused for its client id", async () => {
  const tenant = await addTenant(registry);
  const device = await enroll(registry, tenant);
  // No use case creates this state; it shows that renewal does not check the client id.
  await registry.database.db
    .updateTable("client_ids")
    .set({ holder: "mqtt_client" })
    .where("client_id", "=", device.answer.deviceId)
    .execute();
  const { clientCert } = await registry.enrollment.renewCertificate(
    { address: ADDRESS, peer: device.peer },
    { csr: csrOf() },
  );
  const subject = `CN=${device.answer.deviceId}`;
  assert.equal(new X509Certificate(clientCert).subject.split("\n")[0], subject);
});
