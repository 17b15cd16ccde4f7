import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import mqtt, { type MqttClient } from "mqtt";
import type { Bus } from "../../../src/broker/bus/bus.ts";
import type { BrokerEngine } from "../../../src/broker/engine-interface.ts";
import { createMetrics, type Metrics } from "../../../src/lib/metrics/metrics.ts";
import { eventually } from "../../harness/eventually.ts";
import { createPermissiveBroker } from "../permissive/permissive-broker.ts";

const WORKERS = 3;
/** The number of unacknowledged messages per client: less than the receive maximum. */
const OPEN = 10;

/** The bus between the processes of a test. */
export interface BusArrangement {
  /** Creates the bus of another process. */
  createBus(metrics: Metrics): Bus;
  /**
   * Adds a process that joins and subscribes, and then neither reads nor answers. Resolves when all `workers` know of
   * its subscription.
   */
  addStuck(filter: string, workers: number): Promise<{ close(): Promise<void> }>;
  /** Called after every process has stopped. */
  stop(): Promise<void>;
}

/** One of several brokers that exchange their messages. */
interface Worker {
  broker: BrokerEngine;
  port: number;
  metrics: Metrics;
}

/** Declares the tests that every bus must pass. */
export function busSuite(name: string, arrange: () => Promise<BusArrangement>, skip: string | undefined): void {
  describe(name, { skip: skip ?? false }, () => busRules(arrange));
}

function busRules(arrange: () => Promise<BusArrangement>): void {
  let arrangement: BusArrangement;
  let workers: Worker[];
  const clients: MqttClient[] = [];

  async function startWorker(): Promise<Worker> {
    const metrics = createMetrics();
    const broker = createPermissiveBroker(0, arrangement.createBus(metrics));
    const { port } = await broker.start();
    return { broker, port, metrics };
  }

  before(async () => {
    arrangement = await arrange();
    // All start simultaneously: each finds the others, whichever is first.
    workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker()));
    await eachKnows(workers);
  });

  after(async () => {
    for (const client of clients) client.end(true);
    for (const { broker } of workers) await broker.stop();
    await arrangement.stop();
  });

  async function client(worker: number, options: mqtt.IClientOptions = {}): Promise<MqttClient> {
    return await clientAt(workers[worker]!.port, options);
  }

  async function clientAt(port: number, options: mqtt.IClientOptions = {}): Promise<MqttClient> {
    const connected = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      protocolVersion: 5,
      reconnectPeriod: 0,
      ...options,
    });
    clients.push(connected);
    return connected;
  }

  test("a subscriber receives what clients of every worker publish, in the order of each client", async () => {
    const subscriber = await client(0);
    const got = received(subscriber);
    await subscriber.subscribeAsync("order/#", { qos: 1 });
    const publishers = await Promise.all([0, 1, 2].map((worker) => client(worker)));
    const expected = Array.from({ length: 200 }, (_, n) => String(n));
    await Promise.all(
      publishers.map(async (publisher, worker) => {
        for (let n = 0; n < expected.length; n += OPEN) {
          const some = expected.slice(n, n + OPEN);
          await Promise.all(some.map((each) => publisher.publishAsync(`order/${worker}`, each, { qos: 1 })));
        }
      }),
    );
    await got.atLeast(publishers.length * expected.length);
    for (const worker of [0, 1, 2]) {
      assert.deepEqual(got.of(`order/${worker}`), expected);
    }
  });

  test("another worker's messages arrive once a SUBSCRIBE is answered, and need not arrive once an UNSUBSCRIBE is answered", async () => {
    const [subscriber, publisher] = [await client(1), await client(2)];
    const got = received(subscriber);
    for (let n = 0; n < 50; n++) {
      await subscriber.subscribeAsync(`at-once/${n}`, { qos: 1 });
      assert.equal(await reasonOf(publisher, `at-once/${n}`, String(n)), 0, "it has a subscriber");
    }
    await got.atLeast(50);
    await subscriber.unsubscribeAsync("at-once/0");
    await subscriber.subscribeAsync("at-once/end", { qos: 1 });
    assert.equal(await reasonOf(publisher, "at-once/0", "unheard"), 0x10, "no worker has a subscriber");
  });

  test("a message between workers keeps its QoS, retain flag and MQTT 5 properties and gets the receiver's subscription identifier", async () => {
    const [subscriber, publisher] = [await client(0), await client(1)];
    const got = received(subscriber);
    await subscriber.subscribeAsync("kept/#", { qos: 2, rap: true, properties: { subscriptionIdentifier: 7 } });
    const properties = {
      messageExpiryInterval: 600,
      contentType: "text/plain",
      responseTopic: "answers/here",
      correlationData: Buffer.from([1, 2]),
      userProperties: { name: "värde" },
    };
    await publisher.publishAsync("kept/2", "two", { qos: 2, retain: true, properties });
    await publisher.publishAsync("kept/0", "zero", { qos: 0 });
    // mqtt.js delivers a message of QoS 2 at its PUBREL, so one of QoS 0 may overtake it.
    const [two, zero] = (await got.atLeast(2)).toSorted((a, b) => b.packet.qos - a.packet.qos);
    assert.deepEqual([two!.packet.qos, two!.packet.retain, two!.payload], [2, true, "two"]);
    assert.deepEqual([zero!.packet.qos, zero!.packet.retain, zero!.payload], [0, false, "zero"]);
    const { userProperties, messageExpiryInterval, ...rest } = two!.packet.properties!;
    assert.deepEqual({ ...userProperties }, properties.userProperties);
    assert.ok(messageExpiryInterval! <= 600 && messageExpiryInterval! > 500);
    const { contentType, responseTopic, correlationData } = properties;
    assert.deepEqual({ ...rest }, { contentType, responseTopic, correlationData, subscriptionIdentifier: 7 });
  });

  test("a shared subscription delivers a message to one member at any worker, and every worker has its turn", async () => {
    const filter = "$share/group/jobs/#";
    const members = [];
    for (const worker of [0, 1, 1, 2]) {
      const member = await client(worker);
      members.push(received(member));
      await member.subscribeAsync(filter, { qos: 1 });
    }
    const publishers = await Promise.all([0, 1, 2].map((worker) => client(worker)));
    const alone = await client(2);
    const all = received(alone);
    await alone.subscribeAsync("jobs/#", { qos: 1 });
    const expected = Array.from({ length: 90 }, (_, n) => String(n));
    for (const n of expected) await publishers[Number(n) % 3]!.publishAsync("jobs/x", n, { qos: 1 });
    await all.atLeast(expected.length);
    for (let total = 0; total < expected.length; ) {
      await new Promise((resolve) => setImmediate(resolve));
      total = members.reduce((sum, { payloads }) => sum + payloads().length, 0);
    }
    const got = members.flatMap(({ payloads }) => payloads());
    assert.deepEqual(
      got.toSorted((a, b) => Number(a) - Number(b)),
      expected,
      "each once",
    );
    for (const { payloads } of members)
      assert.ok(payloads().length > 5, members.map((m) => m.payloads().length).join());
  });

  test("when a member of a shared subscription ends, its unacknowledged messages go to a member at another worker", async () => {
    const filter = "$share/heirs/heirs/x";
    const [first, publisher] = [await client(0), await client(0)];
    // mqtt.js acknowledges once this callback is called, so never.
    first.handleMessage = () => undefined;
    await first.subscribeAsync(filter, { qos: 1 });
    const arrived = new Promise((resolve) => first.once("packetreceive", resolve));
    await publisher.publishAsync("heirs/x", "inherited", { qos: 1 });
    await arrived;
    const heir = await client(1);
    const got = received(heir);
    await heir.subscribeAsync(filter, { qos: 1 });
    first.end(true);
    assert.equal((await got.atLeast(1))[0]!.payload, "inherited");
  });

  test("a worker that joins later receives and sends messages; one that leaves is forgotten", async () => {
    const subscriber = await client(0);
    const got = received(subscriber);
    await subscriber.subscribeAsync("late/here", { qos: 1 });
    const late = await startWorker();
    await eachKnows([...workers, late]);
    const [there, publisher] = [await clientAt(late.port), await client(1)];
    const gotThere = received(there);
    await there.publishAsync("late/here", "from the new one", { qos: 1 });
    await there.subscribeAsync("late/there", { qos: 1 });
    await publisher.publishAsync("late/there", "to the new one", { qos: 1 });
    assert.equal((await got.atLeast(1))[0]!.payload, "from the new one");
    assert.equal((await gotThere.atLeast(1))[0]!.payload, "to the new one");
    await late.broker.stop();
    while ((await reasonOf(publisher, "late/there", "unheard")) !== 0x10);
    await subscriber.subscribeAsync("late/still", { qos: 1 });
    await publisher.publishAsync("late/still", "still", { qos: 1 });
    assert.equal((await got.atLeast(2))[1]!.payload, "still");
  });

  test("a worker that does not read costs another one a bounded number of bytes; the others receive every acknowledged message", async () => {
    const [{ broker, port, metrics }, subscriber] = [await startWorker(), await client(0)];
    const stuck = await arrangement.addStuck("stuck/#", WORKERS + 1);
    const got = received(subscriber);
    await subscriber.subscribeAsync("stuck/#", { qos: 1 });
    const publisher = await clientAt(port);
    const filler = "x".repeat(500_000);
    const acknowledged = Array.from({ length: 40 }, (_, n) => String(n));
    const arrived = () => got.of("stuck/x").map((payload) => payload.slice(0, -filler.length));
    for (const n of acknowledged) {
      await publisher.publishAsync("stuck/x", n + filler, { qos: 1 });
      await publisher.publishAsync("stuck/y", filler, { qos: 0 });
      // The broker disconnects a subscriber that is more than half a megabyte behind.
      while (!arrived().includes(n)) await got.atLeast(got.payloads().length + 1);
    }
    assert.deepEqual(arrived(), acknowledged);
    const text = await metrics.text();
    const dropped = (qos: number) =>
      Number(new RegExp(`muster_bus_dropped_total\\{qos="${qos}"\\} (\\d+)`).exec(text)?.[1]);
    assert.ok(dropped(0) > dropped(1) && dropped(1) > 0, text.match(/muster_bus.*/g)?.join("\n"));
    publisher.end(true);
    await broker.stop();
    await stuck.close();
  });
}

/** Resolves when each of these processes exchanges messages with all others. */
export async function eachKnows(workers: readonly { metrics: Metrics }[]): Promise<void> {
  for (const { metrics } of workers) {
    const isKnown = await eventually(async () =>
      (await metrics.text()).includes(`muster_bus_peers ${workers.length - 1}\n`),
    );
    assert.ok(isKnown, "a process does not know the others");
  }
}

/**
 * Publishes at QoS 1.
 * @returns the reason code of the PUBACK
 */
export async function reasonOf(publisher: MqttClient, topic: string, payload: string): Promise<number> {
  let reason = 0;
  publisher.once("packetreceive", (answer) => {
    reason = (answer as { reasonCode?: number }).reasonCode ?? 0;
  });
  await publisher.publishAsync(topic, payload, { qos: 1 });
  return reason;
}

interface Received {
  payload: string;
  packet: mqtt.IPublishPacket;
}

/** Collects the messages that a client receives. */
export function received(subscriber: MqttClient) {
  const all: Received[] = [];
  let wake = () => {};
  subscriber.on("message", (_, payload, packet) => {
    all.push({ payload: payload.toString(), packet });
    wake();
  });
  return {
    payloads: () => all.map(({ payload }) => payload),
    of: (topic: string) => all.filter(({ packet }) => packet.topic === topic).map(({ payload }) => payload),
    async atLeast(count: number): Promise<Received[]> {
      while (all.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return all;
    },
  };
}
