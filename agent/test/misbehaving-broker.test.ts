/** The agent survives a broker that violates MQTT or sends more than the device can process. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type AgentError, type Command, openSession } from "../src/index.ts";
import type { RemoteBroker } from "./remote/broker.ts";
import { TOPIC } from "./remote/service.ts";
import { enrolled, started } from "./remote/setup.ts";

const COMMANDS = "t/acme/commands/dev-1";
const RECEIVE_MAXIMUM = 16;

function send(broker: RemoteBroker, qos: 0 | 1 | 2, payload: string, messageId?: number): void {
  const id = messageId === undefined ? {} : { messageId };
  broker.session("dev-1")!.send({ cmd: "publish", topic: COMMANDS, payload, qos, dup: false, retain: false, ...id });
}

/** A handler that waits until it is opened. */
function slowHandler() {
  let gate = Promise.withResolvers<void>();
  const handled: string[] = [];
  return {
    handled,
    open: () => gate.resolve(),
    shut() {
      gate = Promise.withResolvers<void>();
    },
    onCommand: async ({ payload }: Command) => {
      await gate.promise;
      handled.push(payload.toString());
    },
  };
}

const reasonsOf = (broker: RemoteBroker) =>
  broker.packets.filter((packet) => packet.cmd === "disconnect").map(({ reasonCode }) => reasonCode);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

test("at most 1,000 QoS 0 commands wait for the handler; further ones are dropped and reported once, QoS 1 is not", async (t) => {
  const { handled, open, shut, onCommand } = slowHandler();
  const { broker, agent } = await started(t, { onCommand });
  const reports: AgentError[] = [];
  agent.on("commands-dropped", ({ error }) => reports.push(error));
  await agent.connect();
  for (const round of [1, 2]) {
    handled.length = 0;
    for (let n = 0; n < 1500; n++) send(broker, 0, `${n}`);
    send(broker, 1, "to be acknowledged", round);
    // Its PUBACK follows the commands on the same connection.
    await agent.publish("after the commands");
    assert.equal(reports.length, round);
    open();
    await until(() => broker.packets.some((packet) => packet.cmd === "puback" && packet.messageId === round));
    assert.deepEqual(handled, [...Array.from({ length: 1001 }, (_, n) => `${n}`), "to be acknowledged"]);
    shut();
  }
  assert.deepEqual(
    [reports[0]!.code, reports[0]!.message],
    ["dropped", "Commands are dropped: 1000 (23893 bytes) are waiting for the handler."],
  );
  assert.equal(broker.connects.length, 1);
});

test("at most 8 MiB of QoS 0 commands wait for the handler, and other commands have separate room", async (t) => {
  const { handled, open, onCommand } = slowHandler();
  const { broker, agent } = await started(t, { onCommand });
  let reports = 0;
  agent.on("commands-dropped", () => reports++);
  await agent.connect();
  const long = "x".repeat(250_000);
  for (let n = 0; n < 50; n++) send(broker, 0, `${n} ${long}`);
  for (let id = 1; id <= RECEIVE_MAXIMUM; id++) send(broker, 1, `again ${long}`, id);
  await agent.publish("after the commands");
  assert.equal(reports, 1);
  open();
  await until(() => broker.packets.filter(({ cmd }) => cmd === "puback").length === RECEIVE_MAXIMUM);
  const waited = Math.floor((8 * 1024 * 1024) / (COMMANDS.length + 3 + long.length));
  assert.deepEqual(
    handled.map((text) => text.slice(0, text.indexOf(" "))),
    [...Array.from({ length: waited + 1 }, (_, n) => `${n}`), ...Array(RECEIVE_MAXIMUM).fill("again")],
  );
});

test("without MQTT 5's Receive Maximum, commands beyond 1,000 stay unacknowledged and are reported", async (t) => {
  const { handled, open, onCommand } = slowHandler();
  const { broker, agent } = await started(t, { onCommand, mqttVersion: "3.1.1" });
  let reports = 0;
  agent.on("commands-dropped", () => reports++);
  await agent.connect();
  for (let n = 1; n <= 1500; n++) send(broker, 1, `${n}`, n);
  await agent.publish("after the commands");
  assert.equal(reports, 1);
  open();
  const acknowledged = () => broker.packets.filter(({ cmd }) => cmd === "puback").length;
  await until(() => acknowledged() === 1001);
  await agent.publish("after the acknowledgements");
  assert.deepEqual([acknowledged(), handled.length], [1001, 1001]);
});

for (const qos of [1, 2] as const)
  test(`a broker that exceeds the Receive Maximum with QoS ${qos} gets 0x93, and the agent reconnects with backoff`, async (t) => {
    const { open, onCommand } = slowHandler();
    const { broker, agent, sleeps } = await started(t, { onCommand });
    await agent.connect();
    for (const round of [1, 2]) {
      const lost = once(agent, "disconnected");
      const again = once(agent, "connected");
      for (let id = 1; id <= RECEIVE_MAXIMUM + 1; id++) send(broker, qos, "x", id);
      assert.equal((await lost)[0].reason, "the broker sent more than 16 unacknowledged messages");
      await again;
      assert.equal(sleeps.length, round);
    }
    assert.deepEqual(
      [reasonsOf(broker), sleeps],
      [
        [0x93, 0x93],
        [500, 1000],
      ],
    );
    open();
  });

test("acknowledged commands do not count toward the Receive Maximum", async (t) => {
  const { broker, agent } = await started(t, { onCommand: ({ payload }) => assert.notEqual(`${payload}`, "fails") });
  await agent.connect();
  const answers = (cmd: string) => broker.packets.filter((packet) => packet.cmd === cmd).length;
  for (const round of [1, 2, 3]) {
    for (let id = 1; id <= 5; id++) send(broker, 1, "x", id);
    for (let id = 6; id <= 10; id++) send(broker, 2, "x", id);
    for (let id = 11; id <= RECEIVE_MAXIMUM; id++) send(broker, 2, "fails", id);
    await until(() => answers("puback") === 5 * round && answers("pubrec") === 11 * round);
    for (let id = 6; id <= 10; id++) broker.session("dev-1")!.send({ cmd: "pubrel", messageId: id });
    await until(() => answers("pubcomp") === 5 * round);
  }
  await agent.publish("still connected");
  assert.deepEqual([broker.connects.length, reasonsOf(broker)], [1, []]);
});

test("a second CONNACK gets 0x82, the agent reconnects with backoff, and no keep alive timer is left", async (t) => {
  const { mock: begun } = t.mock.method(globalThis, "setInterval");
  const { mock: stopped } = t.mock.method(globalThis, "clearInterval");
  const { broker, agent, sleeps } = await started(t);
  await agent.connect();
  for (let round = 0; round < 2; round++) {
    const lost = once(agent, "disconnected");
    const again = once(agent, "connected");
    const second = {
      cmd: "connack",
      reasonCode: 0,
      sessionPresent: false,
      properties: { serverKeepAlive: 1 },
    } as const;
    for (let n = 0; n < 3; n++) broker.session("dev-1")!.send(second);
    assert.equal((await lost)[0].reason, "the broker sent a second CONNACK");
    await again;
  }
  assert.deepEqual(
    [reasonsOf(broker), sleeps],
    [
      [0x82, 0x82],
      [500, 1000],
    ],
  );
  await agent.publish("still works", { topic: TOPIC });
  await agent.close();
  const timers = begun.calls.map(({ result }) => result);
  const ended = new Set<unknown>(stopped.calls.map((call) => call.arguments[0]));
  assert.equal(timers.length, 3);
  assert.ok(timers.every((timer) => ended.has(timer)));
});

test("a server reference contains no control characters, in texts and in the library", async (t) => {
  const { remote, identity } = await enrolled(t);
  const { broker } = remote;
  const properties = { serverReference: "elsewhere\u001b[31m\u009b:1\r\nmore" };
  const expected = "elsewhere [31m :1  more";
  const session = await openSession(identity);
  broker.session("dev-1")!.disconnect(0x9c, properties);
  assert.equal((await session.closed).serverReference, expected);
  broker.accept = () => ({ code: 0x9d, properties });
  await assert.rejects(openSession(identity), (error: AgentError) => {
    assert.equal(error.serverReference, expected);
    assert.match(
      error.message,
      /refers to another server, elsewhere \[31m :1 {2}more: the broker has moved \(0x9D\)\.$/,
    );
    return error.code === "use_another_server";
  });
});
