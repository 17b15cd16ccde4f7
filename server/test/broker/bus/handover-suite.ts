import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import mqtt, { type MqttClient } from "mqtt";
import type { BrokerEngine } from "../../../src/broker/engine-interface.ts";
import type { StoredSessions } from "../../../src/connections/connections.ts";
import { createMetrics } from "../../../src/lib/metrics/metrics.ts";
import { createPermissiveBroker } from "../permissive/permissive-broker.ts";
import { storedInMemory } from "../permissive/stored-in-memory.ts";
import { type BusArrangement, eachKnows } from "./bus-suite.ts";

const WORKERS = 3;
const EXPIRY = { properties: { sessionExpiryInterval: 600 } };

type Point = "resumed" | "part" | "changed";

/**
 * Declares the tests of handovers: a stored session moves between processes while messages for it arrive at another
 * process. Over every bus, each message is delivered once and in order.
 */
export function handoverSuite(name: string, arrange: () => Promise<BusArrangement>, skip: string | undefined): void {
  describe(`a stored session changes hands: ${name}`, { skip: skip ?? false }, () => handoverRules(arrange));
}

function handoverRules(arrange: () => Promise<BusArrangement>): void {
  let arrangement: BusArrangement;
  const brokers: BrokerEngine[] = [];
  const ports: number[] = [];
  const clients: MqttClient[] = [];
  /** The points at which calls wait. */
  const gates = new Map<Point, { arrived(): void; opened: Promise<void> }>();

  /** Makes calls at `point` wait until `release`. */
  function waitAt(point: Point): { arrived: Promise<void>; release(): void } {
    const arrived = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    gates.set(point, { arrived: arrived.resolve, opened: opened.promise });
    const release = () => {
      gates.delete(point);
      opened.resolve();
    };
    return { arrived: arrived.promise, release };
  }

  async function pass(point: Point): Promise<void> {
    const gate = gates.get(point);
    gate?.arrived();
    await gate?.opened;
  }

  /** Returns sessions that all workers share, as they would share a database. */
  function sharedSessions(): StoredSessions {
    const stored = storedInMemory(() => new Date(), Infinity);
    return {
      ...stored,
      async resume(asked) {
        const resumed = await stored.resume(asked);
        await pass("resumed");
        return resumed;
      },
      async part(parted) {
        await pass("part");
        return await stored.part(parted);
      },
      async read(ownerId) {
        await pass("changed");
        return await stored.read(ownerId);
      },
    };
  }

  before(async () => {
    arrangement = await arrange();
    const stored = sharedSessions();
    const nodes = [];
    for (let n = 0; n < WORKERS; n++) {
      const metrics = createMetrics();
      const broker = createPermissiveBroker(0, arrangement.createBus(metrics), stored);
      brokers.push(broker);
      ports.push((await broker.start()).port);
      nodes.push({ metrics });
    }
    await eachKnows(nodes);
  });
  after(async () => {
    for (const client of clients) client.end(true);
    for (const broker of brokers) await broker.stop();
    await arrangement.stop();
  });

  async function connect(worker: number, options: mqtt.IClientOptions): Promise<MqttClient> {
    const url = `mqtt://127.0.0.1:${ports[worker]}`;
    const client = await mqtt.connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0, ...options });
    clients.push(client);
    return client;
  }

  /** A client with a stored session, which connects to one worker after the other. */
  function visitor(clientId: string) {
    const received: string[] = [];
    const wakes = new Set<() => void>();
    // A QoS 2 handshake that begins on one connection ends on the next.
    const incomingStore = new mqtt.Store({ clean: false });
    return {
      received,
      async at(worker: number): Promise<MqttClient> {
        const url = `mqtt://127.0.0.1:${ports[worker]}`;
        const client = mqtt.connect(url, {
          protocolVersion: 5,
          reconnectPeriod: 0,
          clientId,
          clean: false,
          incomingStore,
          ...EXPIRY,
        });
        clients.push(client);
        client.on("message", (_topic, payload, { dup }) => {
          // A message that is sent again because its acknowledgement was in flight has the DUP flag.
          if (!dup || !received.includes(`${payload}`)) received.push(`${payload}`);
          for (const wake of wakes) wake();
        });
        await new Promise<void>((resolve, reject) => {
          client.once("connect", () => resolve());
          client.once("close", () => reject(new Error("closed before CONNACK")));
        });
        return client;
      },
      async has(expected: string[]): Promise<void> {
        while (received.length < expected.length) {
          const { promise, resolve } = Promise.withResolvers<void>();
          wakes.add(resolve);
          await promise;
          wakes.delete(resolve);
        }
        assert.deepEqual(received, expected);
      },
    };
  }

  /** Returns a visitor that has subscribed at a worker and disconnected. */
  async function awayFrom(worker: number, name: string) {
    const subscriber = visitor(name);
    const client = await subscriber.at(worker);
    await client.subscribeAsync(`${name}/#`, { qos: 2 });
    await client.endAsync();
    return subscriber;
  }

  /**
   * Publishes at QoS 1, at one client or alternating between several. Each message waits for the acknowledgement of the
   * previous one.
   */
  async function sender(worker: number, topic: string, all: (1 | 2)[] = [1]) {
    const client = await connect(worker, {});
    return async (...numbers: number[]) => {
      for (const n of numbers) await client.publishAsync(topic, `${n}`, { qos: all[n % all.length]! });
    };
  }

  test("another worker's messages that arrive while a client resumes its session follow the queued ones and precede later ones", async () => {
    const subscriber = await awayFrom(1, "opening");
    const publish = await sender(0, "opening/x");
    await publish(0, 1);
    const resumed = waitAt("resumed");
    const connecting = subscriber.at(2);
    await resumed.arrived;
    await publish(2, 3);
    resumed.release();
    const client = await connecting;
    await publish(4, 5);
    await subscriber.has(["0", "1", "2", "3", "4", "5"]);
    await client.endAsync();
  });

  test("the same worker's messages that arrive while a client resumes its session are delivered in order", async () => {
    const subscriber = await awayFrom(1, "same");
    const publish = await sender(1, "same/x");
    const resumed = waitAt("resumed");
    const connecting = subscriber.at(1);
    await resumed.arrived;
    await publish(0, 1);
    resumed.release();
    const client = await connecting;
    await publish(2, 3);
    await subscriber.has(["0", "1", "2", "3"]);
    await client.endAsync();
  });

  test("another worker's messages that arrive while a disconnect is being stored wait for the next connection", async () => {
    const subscriber = visitor("leaving");
    const first = await subscriber.at(1);
    await first.subscribeAsync("leaving/#", { qos: 2 });
    const publish = await sender(0, "leaving/x");
    await publish(0);
    await subscriber.has(["0"]);
    const parting = waitAt("part");
    await first.endAsync();
    await parting.arrived;
    // The worker that had the connection receives them.
    await publish(1, 2);
    parting.release();
    const again = await subscriber.at(2);
    await publish(3);
    await subscriber.has(["0", "1", "2", "3"]);
    await again.endAsync();
  });

  test("a worker that has not yet read of a client's disconnect stores messages for it", async () => {
    const subscriber = visitor("unread");
    const publish = await sender(0, "unread/x");
    const reading = waitAt("changed");
    const first = await subscriber.at(1);
    await first.subscribeAsync("unread/#", { qos: 2 });
    await reading.arrived;
    await publish(0);
    await subscriber.has(["0"]);
    await first.endAsync();
    await publish(1, 2);
    const again = await subscriber.at(2);
    await publish(3);
    reading.release();
    await publish(4);
    await subscriber.has(["0", "1", "2", "3", "4"]);
    await again.endAsync();
  });

  test("a client that visits all workers receives every acknowledged message of every worker once", async () => {
    const subscriber = await awayFrom(0, "round");
    const publishers = await Promise.all(ports.map((_, worker) => sender(worker, `round/${worker}`, [1, 2])));
    let isDone = false;
    const acknowledged: string[] = [];
    const publishing = publishers.map(async (publish, worker) => {
      for (let n = 0; !isDone && n < 10_000; n++) {
        const number = worker * 10_000 + n;
        await publish(number);
        acknowledged.push(`${number}`);
      }
    });
    for (let visit = 0; visit < 30; visit++) {
      const client = await subscriber.at(visit % WORKERS);
      await client.endAsync();
    }
    isDone = true;
    await Promise.all(publishing);
    const last = await subscriber.at(0);
    while (subscriber.received.length < acknowledged.length) await new Promise((resolve) => setImmediate(resolve));
    const inOrder = (numbers: string[]) => numbers.toSorted((a, b) => Number(a) - Number(b));
    assert.deepEqual(inOrder(subscriber.received), inOrder(acknowledged), "each once");
    await last.endAsync();
  });

  test("a client that leaves a worker and returns repeatedly receives the others' messages in order", async () => {
    const subscriber = await awayFrom(1, "back");
    const publishers = await Promise.all([0, 2].map((worker) => sender(worker, `back/${worker}`)));
    let isDone = false;
    const acknowledged: string[][] = [[], []];
    const publishing = publishers.map(async (publish, of) => {
      for (let n = of * 10_000; !isDone; n++) {
        await publish(n);
        acknowledged[of]!.push(`${n}`);
      }
    });
    for (let visit = 0; visit < 30; visit++) await (await subscriber.at(1)).endAsync();
    isDone = true;
    await Promise.all(publishing);
    const last = await subscriber.at(1);
    while (subscriber.received.length < acknowledged.flat().length)
      await new Promise((resolve) => setImmediate(resolve));
    const of = (isFirst: boolean) => subscriber.received.filter((number) => Number(number) < 10_000 === isFirst);
    assert.deepEqual([of(true), of(false)], acknowledged, "each once, in its order");
    await last.endAsync();
  });
}
