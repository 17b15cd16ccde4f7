import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import mqtt, { type MqttClient } from "mqtt";
import type { BrokerEngine } from "../src/broker/engine.ts";
import { createMetrics } from "../src/lib/metrics.ts";
import { createPermissiveBroker } from "./permissive/permissive-broker.ts";

const WORKERS = 3;
/** Messages of one client that are not acknowledged: less than the receive maximum. */
const OPEN = 10;

let folder: string;
const brokers: BrokerEngine[] = [];
const ports: number[] = [];
const clients: MqttClient[] = [];

async function startWorker(metrics = createMetrics()): Promise<{ broker: BrokerEngine; port: number }> {
  const broker = createPermissiveBroker(0, { folder, metrics });
  const { port } = await broker.start();
  return { broker, port };
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-bus-"));
  // At the same time: each finds the others whichever is first.
  for (const { broker, port } of await Promise.all(Array.from({ length: WORKERS }, () => startWorker()))) {
    brokers.push(broker);
    ports.push(port);
  }
});

after(async () => {
  for (const client of clients) client.end(true);
  for (const broker of brokers) await broker.stop();
  assert.deepEqual(await readdir(folder), [], "every socket is removed");
  await rm(folder, { recursive: true });
});

async function client(worker: number, options: mqtt.IClientOptions = {}): Promise<MqttClient> {
  return await clientAt(ports[worker]!, options);
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

/** Publishes at QoS 1. @returns the reason code of the PUBACK */
async function reasonOf(publisher: MqttClient, topic: string, payload: string): Promise<number> {
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

/** Collects what a client receives. */
function received(subscriber: MqttClient) {
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

test("a subscriber gets what clients of every worker publish, each client's messages in their order", async () => {
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

test("once a SUBSCRIBE is answered, a message of another worker arrives; once an UNSUBSCRIBE is, none need", async () => {
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

test("a message keeps QoS, retain flag and properties of MQTT 5 between workers; a subscription identifier is the receiver's", async () => {
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
  const [two, zero] = await got.atLeast(2);
  assert.deepEqual([two!.packet.qos, two!.packet.retain, two!.payload], [2, true, "two"]);
  assert.deepEqual([zero!.packet.qos, zero!.packet.retain, zero!.payload], [0, false, "zero"]);
  const { userProperties, messageExpiryInterval, ...rest } = two!.packet.properties!;
  assert.deepEqual({ ...userProperties }, properties.userProperties);
  assert.ok(messageExpiryInterval! <= 600 && messageExpiryInterval! > 500);
  const { contentType, responseTopic, correlationData } = properties;
  assert.deepEqual({ ...rest }, { contentType, responseTopic, correlationData, subscriptionIdentifier: 7 });
});

test("a message of a shared subscription goes to one member, wherever that is, and every worker has its turn", async () => {
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
  for (const { payloads } of members) assert.ok(payloads().length > 5, members.map((m) => m.payloads().length).join());
});

test("what a member of a shared subscription has not acknowledged goes to a member at another worker when it ends", async () => {
  const filter = "$share/heirs/heirs/x";
  const [first, publisher] = [await client(0), await client(0)];
  // mqtt.js acknowledges once this calls back, so never.
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

test("a worker that joins later gets messages and sends them; one that leaves is forgotten", async () => {
  const subscriber = await client(0);
  const got = received(subscriber);
  await subscriber.subscribeAsync("late/here", { qos: 1 });
  const late = await startWorker();
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

test("the sockets are open to the owner alone", async () => {
  for (const file of await readdir(folder)) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
});

test("a worker that does not read costs another one a bounded number of bytes; the rest get every acknowledged message", async () => {
  const metrics = createMetrics();
  const [{ broker, port }, subscriber] = [await startWorker(metrics), await client(0)];
  const stuck = await stuckWorker(folder, "stuck/#");
  const got = received(subscriber);
  await subscriber.subscribeAsync("stuck/#", { qos: 1 });
  const publisher = await clientAt(port);
  const filler = "x".repeat(500_000);
  const acknowledged = Array.from({ length: 40 }, (_, n) => String(n));
  const arrived = () => got.of("stuck/x").map((payload) => payload.slice(0, -filler.length));
  for (const n of acknowledged) {
    await publisher.publishAsync("stuck/x", n + filler, { qos: 1 });
    await publisher.publishAsync("stuck/y", filler, { qos: 0 });
    // A subscriber that is more than half a megabyte behind is ended.
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

/** A process that joins, subscribes, and reads nothing any more. */
async function stuckWorker(inFolder: string, filter: string) {
  const { encodeHello, encodeInterest, encodeNumber } = await import("../src/broker/bus/frame.ts");
  const { connect } = await import("node:net");
  const name = "00000000";
  const open: Socket[] = [];
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  const others = await readdir(inFolder);
  const server = createServer((socket) => {
    open.push(socket);
    socket.once("data", () => {
      socket.write(Buffer.concat([encodeInterest(1, "everyone", filter, true), encodeNumber("all", 1)]));
      socket.pause();
      if (open.length === 2 * others.length) resolve();
    });
  });
  server.listen(join(inFolder, `bus.${name}`));
  for (const other of others) {
    const socket = connect(join(inFolder, other));
    open.push(socket);
    socket.write(encodeHello(name));
    socket.on("data", () => socket.write(encodeNumber("known", 0xffff_ffff)));
  }
  await joined;
  return {
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
