/** The agent against the real service, end to end: its own key, a claim, the broker, a renewal, a revocation. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { newTenant, type TestTenant } from "../../server/test/harness/devices.ts";
import { startServer, type TestServer } from "../../server/test/harness/server.ts";
import { type AgentError, enroll, loadIdentity, MusterAgent, systemRuntime } from "../src/index.ts";
import { freshFolder } from "./remote/setup.ts";
import { execute, shell, shellSkip } from "./remote/shell.ts";

let server: TestServer;
let tenant: TestTenant;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

const code = (wanted: string) => (error: AgentError) => error.code === wanted;

async function newClaim(): Promise<string> {
  const { createClaim } = server.app.enrollment;
  const claim = await createClaim(tenant.caller, { intendedName: "Pump", intendedDeviceTypeId: tenant.deviceTypeId });
  return claim.claimCode;
}

function request(stateDir: string, claimCode: string, hardwareFingerprint: string) {
  const { httpUrl, ca: caPem } = server;
  return { server: httpUrl, caPem, claimCode, hardwareFingerprint, hardwareModel: "Pump 3000", stateDir, attempts: 1 };
}

async function device(t: TestContext, fingerprint: string) {
  const stateDir = await freshFolder(t);
  const identity = await enroll(request(stateDir, await newClaim(), fingerprint));
  const agent = new MusterAgent({ stateDir, autoRenew: false, runtime: { ...systemRuntime, random: () => 0 } });
  t.after(() => agent.close());
  return { stateDir, identity, agent };
}

test("a device enrolls, publishes, renews during its session and publishes with the new certificate", async (t) => {
  const { identity, agent, stateDir } = await device(t, "life-1");
  await agent.connect();
  await agent.publish({ temperature: 21.5 });
  const disconnected: unknown[] = [];
  agent.on("disconnected", (event) => disconnected.push(event));
  const renewed = await agent.renew();
  assert.equal(renewed.device.deviceId, identity.device.deviceId);
  assert.notEqual(renewed.certificate.serialNumber, identity.certificate.serialNumber);
  assert.deepEqual(renewed.device.publishTopics, identity.device.publishTopics);
  await agent.report({ temperature: 22 });
  assert.deepEqual(disconnected, []);
  assert.equal(agent.counts.acknowledged, 2);
  assert.equal((await loadIdentity(stateDir)).certificate.serialNumber, renewed.certificate.serialNumber);
});

test("a certificate that a renewal replaced is refused at the next connection", async (t) => {
  const { identity, agent, stateDir } = await device(t, "old-1");
  await agent.renew();
  const { openSession } = await import("../src/index.ts");
  await assert.rejects(openSession(identity), code("refused"));
  await (await openSession(await loadIdentity(stateDir))).end();
});

test("enrolling again from the same folder keeps the device id; from an empty one it needs the proof", async (t) => {
  const { identity, stateDir } = await device(t, "again-1");
  const second = await enroll(request(stateDir, await newClaim(), "again-1"));
  assert.equal(second.device.deviceId, identity.device.deviceId);
  const elsewhere = await freshFolder(t);
  await assert.rejects(enroll(request(elsewhere, await newClaim(), "again-1")), code("reenrollment_proof_required"));
});

test("a spent and an unknown claim code are refused with the server's codes", async (t) => {
  const stateDir = await freshFolder(t);
  const claim = await newClaim();
  await enroll(request(stateDir, claim, "spent-1"));
  await assert.rejects(enroll(request(await freshFolder(t), claim, "spent-2")), code("claim_exhausted"));
  const unknown = request(await freshFolder(t), "CLAIM-0000-0000-0000", "spent-3");
  await assert.rejects(enroll(unknown), code("invalid_claim_code"));
});

test("a revoked device loses its session, is refused again, and cannot renew", async (t) => {
  const { identity, agent } = await device(t, "revoked-1");
  await agent.connect();
  const query = { deviceId: identity.device.deviceId, skip: 0, limit: 10 } as const;
  const { items } = await server.app.certificates.listCertificates(tenant.caller, query);
  const lost = once(agent, "disconnected");
  const refused = once(agent, "refused");
  await server.app.enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  await lost;
  assert.equal((await refused)[0].error.code, "refused");
  await assert.rejects(agent.renew(), code("cert_invalid"));
});

test("the shell agent enrolls, publishes, renews and publishes again", { skip: shellSkip }, async (t) => {
  const stateDir = await freshFolder(t);
  const ca = join(stateDir, "../https-ca.pem");
  await writeFile(ca, server.ca);
  const enrolled = await shell(["enroll", stateDir, server.httpUrl, await newClaim(), "shell-1", "Pump", ca]);
  assert.equal(enrolled.code, 0, enrolled.err);
  const { deviceId } = (await loadIdentity(stateDir)).device;
  assert.equal(enrolled.out, `enrolled as ${deviceId}\n`);
  const first = await shell(["publish", stateDir], '{"temperature":1}\n');
  assert.equal(first.code, 0, first.err);
  const renewed = await shell(["renew", stateDir, "now"]);
  assert.equal(renewed.code, 0, renewed.err);
  const second = await shell(["publish", stateDir], '{"temperature":2}\n');
  assert.equal(second.code, 0, second.err);
  const again = await shell(["enroll", stateDir, server.httpUrl, await newClaim(), "shell-1", "Pump"]);
  assert.equal(again.out, `enrolled as ${deviceId}\n`);
});

test("the state files are sufficient for mosquitto_pub; a leaf without its chain is refused", {
  skip: shellSkip,
}, async (t) => {
  const { stateDir, identity } = await device(t, "plain-1");
  const { hostname, port } = new URL(identity.device.brokerUrl);
  const publish = (cert: string) => {
    const target = ["-h", hostname, "-p", port, "-i", identity.device.deviceId, "-q", "1"];
    const message = ["-t", identity.device.publishTopics[0]!, "-m", '{"temperature":1}'];
    const files = ["--cafile", "ca.pem", "--cert", cert, "--key", "key.pem"];
    return execute("mosquitto_pub", [...target, ...message, ...files], "", stateDir);
  };
  const whole = await publish("fullchain.pem");
  assert.equal(whole.code, 0, whole.err);
  assert.notEqual((await publish("cert.pem")).code, 0);
});
