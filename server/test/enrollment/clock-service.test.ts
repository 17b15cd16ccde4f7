import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import {
  connectMqtt,
  enrollDevice,
  newTenant,
  redeem,
  redemption,
  renew,
  type TestTenant,
} from "../harness/devices.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
let tenant: TestTenant;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

const refused = (work: Promise<unknown>) => assert.rejects(work, /Connection refused|closed before CONNACK/);

test("lifetimes of thirty days and a year are exact to the second, and renewal is due on day twenty-one", async () => {
  const claim = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  const { body } = await redemption(claim.claimCode);
  const now = server.clock.now().getTime();
  const { json } = await redeem(server, body);
  assert.equal(Date.parse(json.certExpiresAt) - now, 30 * DAY);
  assert.equal(Date.parse(json.renewAfterUtc) - now, 21 * DAY);
  assert.equal(new X509Certificate(json.mqtt.clientCert).validToDate.getTime() - now, 30 * DAY);

  await server.app.devices.createDevice(tenant.caller, { id: "by-hand", name: "By hand" });
  const bundle = await server.app.enrollment.issueBundle(tenant.caller, { deviceId: "by-hand" });
  assert.equal(Date.parse(bundle.certExpiresAt) - now, 365 * DAY);
  assert.equal(new X509Certificate(bundle.clientCertPem).validToDate.getTime() - now, 365 * DAY);
});

test("a claim works until the millisecond before its end and is expired at its end", async () => {
  const input = { intendedName: "Pump", expiresInMinutes: 5, maxUses: 3 };
  const { claimCode } = await server.app.enrollment.createClaim(tenant.caller, input);
  server.clock.advance(5 * MINUTE - 1);
  assert.equal((await redeem(server, (await redemption(claimCode)).body)).status, 200);
  server.clock.advance(1);
  const { status, json } = await redeem(server, (await redemption(claimCode)).body);
  assert.deepEqual([status, json.error], [410, "claim_expired"]);
});

test("a machine clock that steps back two hours expires nothing, revives nothing and delays no request", async () => {
  const device = await enrollDevice(server, tenant);
  const ended = await enrollDevice(server, tenant);
  const open = await connectMqtt(server, device);
  const revoke = async (deviceId: string) => {
    const { items } = await server.app.certificates.listCertificates(tenant.caller, { deviceId, skip: 0, limit: 1 });
    await server.app.enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  };
  await revoke(ended.deviceId);
  server.clock.step(-2 * HOUR);

  await open.publishAsync(device.topic, JSON.stringify({ values: { n: 1 } }), { qos: 1 });
  await refused(connectMqtt(server, ended));
  assert.equal((await renew(server, ended)).answer.status, 401);
  const fresh = await enrollDevice(server, tenant);
  (await connectMqtt(server, fresh)).end(true);
  await open.endAsync(true);
  (await connectMqtt(server, device)).end(true);
  const { answer } = await renew(server, device);
  assert.equal(answer.status, 200, answer.text);
  await revoke(fresh.deviceId);
  await refused(connectMqtt(server, fresh));
});

test("a session outlives its certificate; the next CONNECT, renewal and proof do not", async () => {
  const device = await enrollDevice(server, tenant);
  const { issuedAt, expiresAt } = (await server.app.certificates.listCertificates(tenant.caller, { skip: 0, limit: 1 }))
    .items[0]!;
  assert.equal(expiresAt.getTime() - issuedAt.getTime(), 30 * DAY);
  server.clock.advance(30 * DAY - SECOND);
  const open = await connectMqtt(server, device);
  server.clock.advance(SECOND);
  await refused(connectMqtt(server, device));
  await open.publishAsync(device.topic, JSON.stringify({ values: { n: 1 } }), { qos: 1 });
  assert.equal(open.connected, true, "the attempt with an expired certificate took nothing over");
  const { answer } = await renew(server, device);
  assert.deepEqual([answer.status, answer.json.error], [401, "cert_invalid"]);
  const claim = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "Again" });
  const { body } = await redemption(claim.claimCode, { hardwareFingerprint: device.fingerprint });
  assert.equal((await redeem(server, body, device)).json.error, "reenrollment_proof_required");
  await open.endAsync(true);
});

// The embedded database belongs to one machine and uses its clock.
if (onPostgres) {
  test("two processes with machine clocks ten minutes apart treat a claim alike, by the database's clock", async () => {
    const machines = [new FakeClock(), new FakeClock(new Date(Date.now() + 10 * MINUTE))] as const;
    const a = await startServer({ machineClock: machines[0] });
    const b = await startServer({ share: a, machineClock: machines[1] });
    try {
      const tenant = await newTenant(a);
      const input = { intendedName: "Pump", expiresInMinutes: 5, maxUses: 100 };
      const { claimCode } = await a.app.enrollment.createClaim(tenant.caller, input);
      const attempt = async (at: typeof a) => (await redeem(at, (await redemption(claimCode)).body)).status;
      assert.deepEqual([await attempt(a), await attempt(b)], [200, 200]);
      for (const machine of machines) machine.step(-2 * HOUR);
      assert.deepEqual([await attempt(a), await attempt(b)], [200, 200]);
      for (const machine of machines) machine.advance(5 * MINUTE);
      assert.deepEqual([await attempt(a), await attempt(b)], [410, 410]);
    } finally {
      await b.stop();
      await a.stop();
    }
  });
}
