/** The agent against the real service, end to end: its own key, a claim, the broker, a renewal, a revocation. */

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { connectMqtt, newTenant, type TestTenant } from "../../server/test/harness/devices.ts";
import { eventually } from "../../server/test/harness/eventually.ts";
import { startServer, type TestServer } from "../../server/test/harness/server.ts";
import {
  type AgentError,
  type Command,
  enroll,
  loadIdentity,
  MusterAgent,
  openSession,
  systemRuntime,
} from "../src/index.ts";
import { freshFolder, hasty } from "./remote/setup.ts";
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

test("re-enrolling from the same folder keeps the device id, and from an empty one it needs the proof", async (t) => {
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
  const revoked = once(agent, "revoked");
  await server.app.enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  assert.equal((await refused)[0].error.code, "refused");
  assert.equal((await lost)[0].code, 0x98);
  assert.match((await revoked)[0].error.message, /no longer accepts it/);
  await assert.rejects(agent.renew(), code("cert_invalid"));
});

/** A device whose type lists a topic to subscribe to, and the messages that its agent has received. */
async function commanded(t: TestContext, fingerprint: string) {
  await server.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, { subscribeTopics: ["c/{deviceId}"] });
  const { stateDir, identity, agent: silent } = await device(t, fingerprint);
  const received: string[] = [];
  const arrivals = new EventEmitter<{ command: [] }>();
  const runtime = { ...systemRuntime, random: () => 0 };
  const onCommand = ({ payload }: Command) => {
    received.push(`${payload}`);
    arrivals.emit("command");
    if (`${payload}` === "fail") throw new Error("the valve is stuck");
  };
  const newAgent = () => {
    const agent = new MusterAgent({ stateDir, autoRenew: false, runtime, onCommand });
    t.after(() => agent.close());
    return agent;
  };
  const { deviceId, subscribeTopics } = identity.device;
  const send = (payload: string) =>
    server.app.commands.sendCommand(tenant.caller, deviceId, { topic: subscribeTopics[0]!, payload });
  const until = async (count: number) => {
    while (received.length < count) await once(arrivals, "command");
  };
  const waiting = async () =>
    (await server.app.commands.listCommands(tenant.caller, deviceId, { skip: 0, limit: 10 })).total;
  return { received, newAgent, send, until, waiting, silent, identity };
}

test("commands reach a device while it is connected and after its absence, each acknowledged after its execution", async (t) => {
  const { received, newAgent, send, until, waiting } = await commanded(t, "commands-1");
  const first = newAgent();
  const failed = once(first, "command-failed");
  await first.connect();
  await send("open");
  const { id } = await send("fail");
  await send("close");
  await until(3);
  const [{ command, error }] = await failed;
  assert.deepEqual([command.commandId, error.message], [id, "the valve is stuck"]);
  assert.ok(await eventually(async () => (await waiting()) === 0));
  await first.close();
  await send("while away");
  const second = newAgent();
  await second.connect();
  await until(4);
  assert.deepEqual(received, ["open", "fail", "close", "while away"]);
  assert.ok(await eventually(async () => (await waiting()) === 0));
});

test("a service's message waits while the device is offline, and while an agent without a handler or a renewal connects", async (t) => {
  const { received, newAgent, until, silent, identity } = await commanded(t, "commands-2");
  const [topic] = identity.device.subscribeTopics;
  const registration = { clientId: "gateway-1", username: "gateway", publish: [topic!], subscribe: [] };
  const { password } = await server.app.connections.createMqttClient(tenant.caller, registration);
  const files = { deviceId: "gateway-1", fullchain: "", key: "", ca: server.ca };
  const gateway = await connectMqtt(server, files, { username: "gateway", password });
  const first = newAgent();
  await first.connect();
  await first.publish('{"a":1}');
  await first.close();
  await gateway.publishAsync(topic!, "from the gateway", { qos: 1 });
  await silent.renew();
  await silent.connect();
  await silent.publish('{"a":1}');
  await silent.close();
  const last = newAgent();
  await last.connect();
  await until(1);
  assert.deepEqual(received, ["from the gateway"]);
  await gateway.endAsync();
});

test("a message that the broker denies is reported and the session stays; with MQTT 3.1.1 later ones still arrive", async (t) => {
  const { identity, agent, stateDir } = await device(t, "denied-1");
  const { device: record } = identity;
  const foreign = `${record.topicPrefix}/telemetry/other`;
  // The agent checks topics itself, so this one gets a topic that its certificate does not have.
  const publishTopics = [...record.publishTopics, foreign];
  await writeFile(join(stateDir, "device.json"), JSON.stringify({ ...record, publishTopics }));
  await agent.connect();
  const denied = agent.publish('{"a":1}', { topic: foreign });
  const next = agent.publish('{"a":2}');
  await assert.rejects(denied, { code: "message_refused", reasonCode: 0x87 });
  await next;
  assert.equal(agent.connected, true);
  const older = new MusterAgent({ stateDir, autoRenew: false, mqttVersion: "3.1.1", runtime: hasty });
  t.after(() => older.close());
  const dropped = assert.rejects(older.publish('{"a":3}', { topic: foreign }), code("dropped"));
  const later = older.publish('{"a":4}');
  await older.connect();
  await Promise.all([dropped, later]);
});

test("no message is lost when other connections take over the session", async (t) => {
  const { agent, identity } = await device(t, "lossless-1");
  await agent.connect();
  const start = 1_795_000_000_000;
  const sent = Array.from({ length: 300 }, (_, n) => agent.publish({ ts: start + n, values: { n } }));
  // The agent reconnects immediately, perhaps before the other connection has its CONNACK.
  await openSession(identity).then(
    (other) => other.closed,
    (error: AgentError) => assert.equal(error.code, "refused"),
  );
  await Promise.all(sent);
  assert.deepEqual(agent.counts, { waiting: 0, acknowledged: 300, dropped: 0 });
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

test("the state files are sufficient for mosquitto_pub, and a leaf without its chain is refused", {
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
