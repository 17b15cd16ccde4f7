/** The agent's reactions to the reason codes of MQTT 5, with a broker that sends each of them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type AgentError, MusterAgent } from "../src/index.ts";
import { RemoteBroker } from "./remote/broker.ts";
import { TOPIC } from "./remote/service.ts";
import { started } from "./remote/setup.ts";

const code = (wanted: string) => (error: AgentError) => error.code === wanted;

test("the agent speaks MQTT 5 by default, with its limits for the broker, and 3.1.1 on request", async (t) => {
  const { broker, stateDir, agent } = await started(t);
  await agent.connect();
  const [connect] = broker.packets;
  assert.ok(connect?.cmd === "connect");
  assert.equal(connect.protocolVersion, 5);
  const { receiveMaximum, maximumPacketSize, sessionExpiryInterval } = connect.properties!;
  assert.deepEqual([receiveMaximum, maximumPacketSize, sessionExpiryInterval], [16, 256 * 1024, 0]);
  await agent.close();
  const older = new MusterAgent({ stateDir, autoRenew: false, mqttVersion: "3.1.1" });
  t.after(() => older.close());
  await older.connect();
  assert.equal(broker.connects.at(-1)!.version, 4);
  await older.publish("1");
});

test("when a broker answers that it does not speak MQTT 5, the agent continues with 3.1.1 and reports it once", async (t) => {
  for (const answer of ["3.1.1", "0x84"]) {
    const { broker, agent } = await started(t);
    if (answer === "3.1.1") broker.speaks = 4;
    else broker.accept = (_id, _serial, { protocolVersion }) => (protocolVersion === 5 ? 0x84 : true);
    let fellBack = 0;
    agent.on("fell-back", () => fellBack++);
    await agent.connect();
    await agent.publish("1");
    const connected = once(agent, "connected");
    broker.drop("dev-1");
    assert.equal((await connected)[0].mqttVersion, "3.1.1");
    assert.deepEqual([broker.connects.map(({ version }) => version), fellBack], [[5, 4, 4], 1]);
  }
});

test("if a broker only disconnects, or if MQTT 5 was requested, the agent does not try 3.1.1", async (t) => {
  const { broker, stateDir, agent } = await started(t);
  broker.accept = () => false;
  await assert.rejects(agent.connect({ retry: false }), code("refused"));
  broker.speaks = 4;
  const only5 = new MusterAgent({ stateDir, autoRenew: false, mqttVersion: "5" });
  await assert.rejects(only5.connect({ retry: false }), (error: AgentError) => {
    assert.match(error.message, /does not speak this version of MQTT \(0x84\)/);
    return error.code === "refused";
  });
  assert.ok(broker.connects.every(({ version }) => version === 5));
});

test("a refused message is reported with code and reason string, and the session continues", async (t) => {
  const { broker, agent } = await started(t);
  broker.take = ({ payload }) => (payload === "2" ? 0x87 : true);
  broker.onSession = (session) => {
    const { send } = session;
    session.send = function (packet) {
      const isRefusal = packet.cmd === "puback" && packet.reasonCode === 0x87;
      send.call(this, isRefusal ? { ...packet, properties: { reasonString: "not on\u0007 the list" } } : packet);
    };
  };
  await agent.connect();
  const dropped = once(agent, "dropped");
  const [, refused] = await Promise.allSettled([agent.publish("1"), agent.publish("2"), agent.publish("3")]);
  assert.ok(refused?.status === "rejected");
  assert.equal(refused.reason.code, "message_refused");
  const expected = `The broker refused a message on ${TOPIC}: not authorized (0x87): not on  the list.`;
  assert.equal(refused.reason.message, expected);
  assert.equal((await dropped)[0].error.message, expected);
  assert.deepEqual(agent.counts, { waiting: 0, acknowledged: 2, dropped: 1 });
  assert.equal(broker.connects.length, 1);
});

test("when an administrator ends the session and the device is refused, it is revoked; an accepted one continues", async (t) => {
  const { broker, agent } = await started(t);
  await agent.connect();
  const again = once(agent, "connected");
  const lost = once(agent, "disconnected");
  broker.session("dev-1")!.disconnect(0x98, { reasonString: "restarted" });
  const [{ code: reasonCode, reason }] = await lost;
  assert.equal(reasonCode, 0x98);
  assert.match(reason, /^an administrator has ended the session.*\(0x98\): restarted$/);
  await again;
  const revoked = once(agent, "revoked");
  broker.accept = () => 0x87;
  broker.session("dev-1")!.disconnect(0x98);
  assert.equal((await revoked)[0].error.code, "revoked");
});

test("after the first takeover the agent reconnects soon, and after further ones with growing delays", async (t) => {
  const { broker, agent, sleeps } = await started(t);
  await agent.connect();
  for (let round = 0; round < 4; round++) {
    const again = once(agent, "connected");
    broker.session("dev-1")!.disconnect(0x8e);
    await again;
  }
  assert.deepEqual(sleeps, [500, 1_500, 3_000, 6_000]);
});

for (const busy of [0x88, 0x89, 0x97, 0x9f])
  test(`a CONNACK 0x${busy.toString(16)} does not refuse the device: the agent retries with growing delays`, async (t) => {
    const { broker, agent, sleeps } = await started(t);
    let answers = 0;
    broker.accept = () => (answers++ < 4 ? busy : true);
    const codes: string[] = [];
    agent.on("unreachable", ({ error }) => codes.push(error.code));
    await agent.connect();
    assert.deepEqual(codes, ["busy", "busy", "busy", "busy"]);
    assert.deepEqual(sleeps, [7_500, 15_000, 30_000, 60_000]);
  });

test("the agent follows a server reference at CONNECT and while connected, and then returns", async (t) => {
  const { remote, broker, agent } = await started(t);
  const other = new RemoteBroker({ ...(await remote.authority.server()), clientCa: remote.authority.rootPem });
  const serverReference = `localhost:${await other.listen()}`;
  t.after(() => other.close());
  const referred: string[] = [];
  agent.on("referred", ({ server }) => referred.push(server));
  broker.accept = () => ({ code: 0x9c, properties: { serverReference } });
  await agent.connect();
  await agent.publish("at the other");
  assert.equal(other.messages.length, 1);
  broker.accept = () => true;
  const back = once(agent, "connected");
  other.session("dev-1")!.disconnect(0x8b);
  await back;
  await agent.publish("at home");
  assert.equal(broker.messages.length, 1);
  const away = once(agent, "connected");
  broker.session("dev-1")!.disconnect(0x9c, { serverReference });
  await away;
  await agent.publish("at the other again");
  assert.deepEqual([other.messages.length, referred], [2, [serverReference, serverReference]]);
});

test("a server that refers elsewhere endlessly, or to no address, is abandoned after three times", async (t) => {
  const { broker, remote, agent } = await started(t);
  let asked = 0;
  broker.accept = () => {
    if (asked++ >= 5) return true;
    return { code: 0x9c, properties: { serverReference: asked === 1 ? "::" : `localhost:${remote.brokerPort}` } };
  };
  const referred: string[] = [];
  agent.on("referred", ({ server }) => referred.push(server));
  await agent.connect();
  assert.equal(referred.length, 3);
});

test("the agent respects the broker's receive maximum, topic aliases and maximum packet size", async (t) => {
  const { broker, agent } = await started(t);
  broker.properties = { receiveMaximum: 2, topicAliasMaximum: 1, maximumPacketSize: 1000 };
  broker.take = () => "silent";
  await agent.connect();
  const sent = ["1", "2", "3"].map((payload) => agent.publish(payload));
  const tooLarge = assert.rejects(agent.publish("x".repeat(1000)), code("message_too_large"));
  const publishes = () => broker.packets.filter((packet) => packet.cmd === "publish");
  while (publishes().length < 2) await new Promise(setImmediate);
  const session = broker.session("dev-1")!;
  broker.take = () => true;
  for (const packet of publishes()) session.send({ cmd: "puback", messageId: packet.messageId!, reasonCode: 0 });
  await Promise.all(sent);
  await tooLarge;
  const named = publishes().map(({ topic, properties }) => [topic, properties?.topicAlias]);
  assert.deepEqual(named, [
    [TOPIC, undefined],
    [TOPIC, 1],
    ["", 1],
  ]);
});

test("a broker without QoS 1 is refused, and one that retains nothing gets no message to retain", async (t) => {
  const { broker, agent, stateDir } = await started(t);
  broker.properties = { retainAvailable: false };
  await agent.connect();
  await assert.rejects(agent.publish("1", { retain: true }), { code: "message_refused", reasonCode: 0x9a });
  await agent.publish("2");
  assert.equal(broker.messages.length, 1);
  await agent.close();
  broker.properties = { maximumQoS: 0 };
  const other = new MusterAgent({ stateDir, autoRenew: false });
  await assert.rejects(other.connect({ retry: false }), { code: "refused", reasonCode: 0x9b });
});

test("messages wait while the broker restarts, and arrive in order", async (t) => {
  const { remote, broker, agent } = await started(t);
  await agent.connect();
  broker.take = ({ payload }) => (Number(payload) < 10 ? true : "silent");
  const sent = Array.from({ length: 100 }, (_, n) => agent.publish(`${n}`));
  while (broker.messages.length < 20) await new Promise(setImmediate);
  const lost = once(agent, "disconnected");
  broker.session("dev-1")!.disconnect(0x8b);
  await lost;
  await broker.close();
  broker.take = () => true;
  broker.messages.length = 0;
  await broker.listen(remote.brokerPort);
  await Promise.all(sent);
  const arrived = broker.messages.map(({ payload }) => Number(payload));
  assert.deepEqual(
    arrived,
    Array.from({ length: arrived.length }, (_, at) => 100 - arrived.length + at),
  );
  assert.ok(arrived.length >= 90);
  assert.deepEqual(agent.counts, { waiting: 0, acknowledged: 100, dropped: 0 });
});

test("a broker that sends more than the agent permits, or no MQTT, loses the session, and the agent retries", async (t) => {
  const { broker, agent } = await started(t);
  await agent.connect();
  for (const [bytes, reason] of [
    [[0x30, 0xff, 0xff, 0x7f, ...Buffer.alloc(300 * 1024)], /a packet of more than 262144 bytes/],
    [[0x00, 0x00], /invalid MQTT|unsolicited packet/],
    [[0xc0, 0x00], /unsolicited packet: pingreq/],
  ] as const) {
    const lost = once(agent, "disconnected");
    const again = once(agent, "connected");
    broker.session("dev-1")!.socket.write(Buffer.from(bytes));
    assert.match((await lost)[0].reason, reason);
    await again;
  }
});
