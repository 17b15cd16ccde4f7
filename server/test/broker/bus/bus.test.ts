import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import mqtt from "mqtt";
import { encodeHello, encodeInterest, encodeNumber, encodeServe } from "../../../src/broker/bus/frame.ts";
import { LocalBus } from "../../../src/broker/bus/local-bus.ts";
import { createMetrics, type Metrics } from "../../../src/lib/metrics/metrics.ts";
import { createPermissiveBroker, PERMISSIVE_LIMITS, PERMISSIVE_TOOLS } from "../permissive/permissive-broker.ts";
import { storedInMemory } from "../permissive/stored-in-memory.ts";
import { type BusArrangement, busSuite } from "./bus-suite.ts";
import { handoverSuite } from "./handover-suite.ts";

busSuite("workers of one machine, over Unix sockets", localBuses, undefined);
handoverSuite("workers of one machine, over Unix sockets", localBuses, undefined);

test("the sockets are accessible to the owner alone", async () => {
  const folder = await newFolder();
  const broker = createPermissiveBroker(0, createBus(folder, createMetrics()));
  await broker.start();
  const files = await readdir(folder);
  assert.equal(files.length, 1);
  for (const file of files) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
  await broker.stop();
  await rm(folder, { recursive: true });
});

test("overflow for a worker that does not read is stored if it is for a stored session of that worker", async () => {
  const [folder, metrics] = [await newFolder(), createMetrics()];
  const stored = storedInMemory(() => new Date(), Infinity);
  const broker = createPermissiveBroker(0, createBus(folder, metrics), stored);
  const { port } = await broker.start();
  const connected = (options: mqtt.IClientOptions = {}) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...options });
  const resume = () => connected({ clientId: "visitor", clean: false });
  const first = await resume();
  await first.subscribeAsync("stuck/#", { qos: 1 });
  await first.endAsync();
  const stuck = await addStuck(folder, "stuck/#", encodeServe(2, "visitor"));
  const publisher = await connected();
  const filler = "x".repeat(500_000);
  for (let n = 0; n < 37; n++) await publisher.publishAsync("stuck/x", n + filler, { qos: 1 });
  const dropped = Number(/muster_bus_dropped_total\{qos="1"\} (\d+)/.exec(await metrics.text())?.[1]);
  assert.ok(dropped > 0 && dropped < 37, `${dropped} were dropped`);
  await stuck.close();
  const numbers: number[] = [];
  const second = mqtt.connect(`mqtt://127.0.0.1:${port}`, { clientId: "visitor", clean: false, reconnectPeriod: 0 });
  await new Promise<void>((resolve) => {
    second.on("message", (_topic, payload) => {
      numbers.push(Number(`${payload}`.slice(0, -filler.length)));
      if (numbers.length === dropped) resolve();
    });
  });
  assert.deepEqual(
    numbers,
    Array.from({ length: dropped }, (_, n) => 37 - dropped + n),
  );
  for (const client of [publisher, second]) await client.endAsync();
  await broker.stop();
  await rm(folder, { recursive: true });
});

async function localBuses(): Promise<BusArrangement> {
  const folder = await newFolder();
  return {
    createBus: (metrics) => createBus(folder, metrics),
    addStuck: (filter) => addStuck(folder, filter),
    async stop() {
      assert.deepEqual(await readdir(folder), [], "every socket is removed");
      await rm(folder, { recursive: true });
    },
  };
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "muster-bus-"));
}

function createBus(folder: string, metrics: Metrics): LocalBus {
  return new LocalBus({ folder, limits: PERMISSIVE_LIMITS, metrics, ...PERMISSIVE_TOOLS });
}

/** @param serve announces that it has a stored session */
async function addStuck(inFolder: string, filter: string, serve: Buffer = Buffer.alloc(0)) {
  const name = "00000000";
  const open: Socket[] = [];
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  const others = await readdir(inFolder);
  const server = createServer((socket) => {
    open.push(socket);
    socket.once("data", () => {
      socket.write(Buffer.concat([encodeInterest(1, "everyone", filter, true), serve, encodeNumber("all", 1)]));
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
