import assert from "node:assert/strict";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import { enrollDevice, newTenant, redeem, redemption, renew, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
let tenant: TestTenant;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

/**
 * Sends a whole request and disconnects before the answer. `done` resolves to true when the server has completed its
 * work.
 */
async function sendAndHangUp(
  path: string,
  body: unknown,
  done: () => Promise<boolean>,
  tls: { cert?: string; key?: string } = {},
): Promise<void> {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const call = request(`${server.httpUrl}${path}`, { method: "POST", headers, ca: server.ca, agent: false, ...tls });
  let answered = false;
  call.on("response", () => {
    answered = true;
  });
  call.on("error", () => undefined);
  await new Promise<void>((resolve) => call.end(text, () => resolve()));
  call.destroy();
  while (!(await done())) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answered, false);
}

const claim = (maxUses: number) =>
  server.app.enrollment.createClaim(tenant.caller, {
    intendedName: "Pump",
    intendedDeviceTypeId: tenant.deviceTypeId,
    maxUses,
  });

test("the answer of a redemption is lost: the device enrolls again with proof, or after an admin deleted it", async () => {
  const { id, claimCode } = await claim(3);
  const { body } = await redemption(claimCode);
  const used = async () => (await server.app.enrollment.getClaim(tenant.caller, id)).usedCount;
  await sendAndHangUp("/api/provisioning/claim", body, async () => (await used()) === 1);

  const retry = await redeem(server, body);
  assert.deepEqual([retry.status, retry.json.error], [401, "reenrollment_proof_required"]);
  const otherDevice = await enrollDevice(server, tenant);
  assert.equal((await redeem(server, body, otherDevice)).json.error, "reenrollment_proof_required");
  assert.equal(await used(), 1);

  const page = { skip: 0, limit: 50 };
  const { items } = await server.app.certificates.listCertificates(tenant.caller, page);
  const lost = items.find(({ deviceId }) => deviceId !== otherDevice.deviceId);
  await server.app.enrollment.deleteDevice(tenant.caller, lost!.deviceId);
  const again = await redeem(server, body);
  assert.equal(again.status, 200, again.text);
  assert.notEqual(again.json.deviceId, lost!.deviceId);
  assert.equal(await used(), 2);
});

test("the answer of a renewal is lost: the old certificate is superseded, so a retry is 401 cert_invalid", async () => {
  const device = await enrollDevice(server, tenant);
  const { deviceId } = device;
  const replaced = async () => {
    const query = { deviceId, status: "revoked" as const, skip: 0, limit: 5 };
    return (await server.app.certificates.listCertificates(tenant.caller, query)).total === 1;
  };
  const body = { csr: makeCsr(await makeKey()) };
  const tls = { cert: device.fullchain, key: device.key };
  await sendAndHangUp("/api/provisioning/cert/renew", body, replaced, tls);
  const { answer } = await renew(server, device);
  assert.deepEqual([answer.status, answer.json.error], [401, "cert_invalid"]);
});
