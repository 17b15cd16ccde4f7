import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { type AgentError, loadIdentity, MusterAgent, type MusterAgentOptions, systemRuntime } from "../src/index.ts";
import { TOPIC } from "./remote/service.ts";
import { enrolled } from "./remote/setup.ts";

const code = (wanted: string) => (error: AgentError) => error.code === wanted;
/** Backoff without delay; all other timing is real. */
const eager = { ...systemRuntime, random: () => 0 };

async function started(t: TestContext, options: Partial<MusterAgentOptions> = {}) {
  const { remote, stateDir } = await enrolled(t);
  const agent = new MusterAgent({ stateDir, runtime: eager, autoRenew: false, ...options });
  t.after(() => agent.close());
  return { remote, stateDir, agent };
}

const serialOf = async (stateDir: string) => (await loadIdentity(stateDir)).certificate.serialNumber.toLowerCase();
const payloads = (remote: { broker: { messages: Array<{ payload: string }> } }) =>
  remote.broker.messages.map((one) => one.payload);

test("the agent connects under the exact device id, publishes on its topic, and resolves on the acknowledgement", async (t) => {
  const { remote, stateDir, agent } = await started(t);
  await agent.connect();
  await agent.publish({ temperature: 21.5 });
  const serial = await serialOf(stateDir);
  assert.deepEqual(remote.broker.messages, [
    { clientId: "dev-1", topic: TOPIC, payload: '{"temperature":21.5}', serial },
  ]);
  assert.deepEqual(agent.counts, { waiting: 0, acknowledged: 1, dropped: 0 });
});

test("a report carries the device's own time", async (t) => {
  const { remote, agent } = await started(t, { runtime: { ...eager, now: () => 1_795_000_000_000 } });
  await agent.connect();
  await agent.report({ temperature: 21.5 });
  assert.deepEqual(JSON.parse(payloads(remote)[0]!), { ts: 1_795_000_000_000, values: { temperature: 21.5 } });
});

test("messages published before the connection arrive in order once it is open", async (t) => {
  const { remote, agent } = await started(t);
  const sent = [1, 2, 3].map((n) => agent.publish(`${n}`));
  await agent.connect();
  await Promise.all(sent);
  assert.deepEqual(payloads(remote), ["1", "2", "3"]);
});

test("drained() waits for a message published just before", async (t) => {
  const { remote, agent } = await started(t);
  agent.publish("1");
  const drained = agent.drained();
  await agent.connect();
  await drained;
  assert.deepEqual(payloads(remote), ["1"]);
});

test("after a lost session the agent reconnects and repeats unacknowledged messages", async (t) => {
  const { remote, agent } = await started(t);
  await agent.connect();
  remote.broker.take = () => "silent";
  const sent = agent.publish("kept");
  while (remote.broker.messages.length === 0) await new Promise(setImmediate);
  remote.broker.take = () => true;
  const lost = once(agent, "disconnected");
  remote.broker.drop("dev-1");
  await lost;
  await sent;
  assert.deepEqual(payloads(remote), ["kept", "kept"]);
});

test("topics that the certificate does not contain and messages over the limit are refused immediately", async (t) => {
  const { remote, agent } = await started(t);
  await agent.connect();
  await assert.rejects(agent.publish("1", { topic: "t/acme/telemetry/dev-2" }), code("topic_not_authorised"));
  await assert.rejects(agent.publish(Buffer.alloc(128 * 1024 + 1)), code("message_too_large"));
  assert.equal(remote.broker.messages.length, 0);
});

test("a renewal takes over the session, loses no message and leaves the new certificate in use", async (t) => {
  const { remote, stateDir, agent } = await started(t);
  await agent.connect();
  const before = await serialOf(stateDir);
  let publishing = true;
  const sent: Array<Promise<void>> = [];
  const stream = (async () => {
    while (publishing) {
      sent.push(agent.publish(`${sent.length}`));
      await new Promise(setImmediate);
    }
  })();
  const disconnects: unknown[] = [];
  agent.on("disconnected", (event) => disconnects.push(event));
  const [renewed] = await Promise.all([once(agent, "renewed"), agent.renew()]);
  publishing = false;
  await stream;
  await Promise.all(sent);
  const after = await serialOf(stateDir);
  assert.equal(renewed[0].serialNumber, after);
  assert.notEqual(after, before);
  assert.deepEqual(disconnects, []);
  assert.deepEqual(new Set(payloads(remote)), new Set(sent.map((_, i) => `${i}`)));
  assert.equal(remote.broker.connects.length, 2);
  await agent.publish("on the new one");
  assert.equal(remote.broker.messages.at(-1)!.serial, after);
});

test("a staged certificate is used first after a restart, and replaces the old one", async (t) => {
  const { remote, stateDir, agent } = await started(t);
  remote.broker.accept = () => false;
  await assert.rejects(agent.renew(), code("refused"));
  const before = await serialOf(stateDir);
  remote.broker.accept = (_, serial) => !remote.revoked.has(serial);
  const renewed = once(agent, "renewed");
  await agent.connect();
  await renewed;
  assert.notEqual(await serialOf(stateDir), before);
});

test("when the broker refuses the new certificate and accepts the old one, the old one stays in use", async (t) => {
  const { remote, stateDir, agent } = await started(t);
  const before = await serialOf(stateDir);
  remote.broker.accept = (_, serial) => serial === before;
  await assert.rejects(agent.renew(), code("refused"));
  await agent.connect();
  assert.equal(remote.broker.connects.at(-1)!.serial, before);
  assert.equal(await serialOf(stateDir), before);
});

test("a revoked device reports the refusal, and after the third waits minutes between attempts", async (t) => {
  const { remote, stateDir, agent } = await started(t);
  await agent.connect();
  remote.revoked.add(await serialOf(stateDir));
  const refusals: Array<{ consecutive: number; retryInMs: number; code: string }> = [];
  const third = new Promise<void>((resolve) => {
    agent.on("refused", ({ error, consecutive, retryInMs }) => {
      refusals.push({ consecutive, retryInMs, code: error.code });
      if (consecutive === 3) resolve();
    });
  });
  remote.broker.drop("dev-1");
  await third;
  assert.deepEqual(
    refusals.map((one) => one.consecutive),
    [1, 2, 3],
  );
  assert.ok(refusals.every((one) => one.code === "refused"));
  assert.ok(refusals[2]!.retryInMs >= 60_000);
});

test("a CONNACK other than 0 is a refusal", async (t) => {
  const { remote, agent } = await started(t);
  remote.broker.accept = () => 5;
  await assert.rejects(agent.connect({ retry: false }), code("refused"));
});

test("a missing broker is unreachable, and one with another certificate is untrusted_server", async (t) => {
  const { remote, stateDir, agent } = await started(t);
  const { readFile, writeFile } = await import("node:fs/promises");
  const { newAuthority } = await import("./remote/authority.ts");
  await writeFile(`${stateDir}/ca.pem`, (await newAuthority()).rootPem);
  await assert.rejects(agent.connect({ retry: false }), code("untrusted_server"));
  assert.equal(remote.broker.connects.length, 0);
  const device = JSON.parse(await readFile(`${stateDir}/device.json`, "utf8"));
  await remote.broker.close();
  await writeFile(
    `${stateDir}/device.json`,
    JSON.stringify({ ...device, brokerUrl: `mqtts://localhost:${remote.brokerPort}` }),
  );
  const second = new MusterAgent({ stateDir, autoRenew: false });
  await assert.rejects(second.connect({ retry: false }), code("unreachable"));
});

test("the agent renews automatically when renewal is due", async (t) => {
  const { remote, stateDir, agent } = await started(t, { autoRenew: true, runtime: eager });
  remote.answers.length = 0;
  const dueAt = Date.parse((await loadIdentity(stateDir)).device.renewAfterUtc);
  assert.ok(dueAt > Date.now());
  const late = new MusterAgent({ stateDir, runtime: { ...eager, now: () => dueAt + 1 } });
  t.after(() => late.close());
  const renewed = once(late, "renewed");
  await late.connect();
  await renewed;
  assert.equal(remote.requests.at(-1)!.path, "/api/provisioning/cert/renew");
  assert.equal(agent.connected, false);
});

test("close rejects waiting messages and stops the agent permanently", async (t) => {
  const { remote, agent } = await started(t);
  remote.broker.take = () => "silent";
  await agent.connect();
  const waiting = agent.publish("1");
  while (remote.broker.messages.length === 0) await new Promise(setImmediate);
  await agent.close();
  await assert.rejects(waiting, code("closed"));
  await assert.rejects(agent.publish("2"), code("closed"));
  assert.equal(agent.connected, false);
});

test("connecting without an identity fails immediately", async (t) => {
  const { stateDir } = await enrolled(t);
  const agent = new MusterAgent({ stateDir: `${stateDir}-none` });
  await assert.rejects(agent.connect(), code("not_enrolled"));
});
