import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import mqtt, { type MqttClient } from "mqtt";
import type { NatsBusDeps } from "../../../src/broker/bus/nats/nats-bus-deps.ts";
import type { BrokerEngine } from "../../../src/broker/engine-interface.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { createMetrics, type Metrics } from "../../../src/lib/metrics/metrics.ts";
import { eventually } from "../../harness/eventually.ts";
import { type NatsServer, natsMissing, startNats } from "../../harness/processes/nats-server.ts";
import { settingsOf } from "../../harness/processes/nats-settings.ts";
import { createPermissiveBroker } from "../permissive/permissive-broker.ts";
import { type BusArrangement, busSuite, eachKnows, reasonOf, received } from "./bus-suite.ts";
import { handoverSuite } from "./handover-suite.ts";
import { createNatsBus, joinRaw } from "./nats-buses.ts";

/** Processes compare their state every tenth of a second instead of every second. */
const TICK_MS = 100;
const FOREVER_MS = 600_000;

busSuite("processes of any machine, over NATS", natsBuses, natsMissing);
handoverSuite("processes of any machine, over NATS", natsBuses, natsMissing);

async function natsBuses(): Promise<BusArrangement> {
  const nats = await startNats();
  return {
    createBus: (metrics) => createNatsBus(settingsOf(nats), { metrics }),
    async addStuck(filter, workers) {
      const { kill } = await joinRaw(nats, filter, workers);
      return { close: kill };
    },
    stop: () => nats.stop(),
  };
}

interface Node {
  broker: BrokerEngine;
  port: number;
  metrics: Metrics;
  logs: string[];
}

describe("when a connection or a process ends", { skip: natsMissing ?? false }, () => {
  let nats: NatsServer;
  let nodes: Node[];
  const clients: MqttClient[] = [];

  before(async () => {
    nats = await startNats();
    nodes = [await startNode(nats), await startNode(nats)];
    await eachKnows(nodes);
  });
  after(async () => {
    for (const each of clients) each.end(true);
    for (const { broker } of nodes) await broker.stop();
    await nats.stop();
  });

  async function client({ port }: Node): Promise<MqttClient> {
    const url = `mqtt://127.0.0.1:${port}`;
    const connected = await mqtt.connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
    clients.push(connected);
    return connected;
  }

  test("messages acknowledged while NATS is down arrive in order and once when it is back", async () => {
    const [here, there] = nodes as [Node, Node];
    const [subscriber, publisher] = [await client(here), await client(there)];
    const got = received(subscriber);
    await subscriber.subscribeAsync("away/#", { qos: 1 });
    const expected = Array.from({ length: 300 }, (_, n) => String(n));
    for (const [n, payload] of expected.entries()) {
      if (n === 100) await nats.kill();
      if (n === 200) await nats.start();
      assert.equal(await reasonOf(publisher, "away/x", payload), 0, payload);
    }
    await got.atLeast(expected.length);
    await publisher.publishAsync("away/x", "last", { qos: 1 });
    await got.atLeast(expected.length + 1);
    assert.deepEqual(got.payloads(), [...expected, "last"]);
    for (const { logs, metrics } of nodes) {
      assert.ok(logs.some((line) => line.includes("the connection to NATS is broken")));
      assert.match(await metrics.text(), /muster_bus_connected\{bus="nats"\} 1/);
    }
  });

  test("a node that is cut off from NATS for long is forgotten; when NATS is back, its subscribers receive messages again", async () => {
    const [here, there] = nodes as [Node, Node];
    const [subscriber, publisher] = [await client(here), await client(there)];
    const got = received(subscriber);
    await subscriber.subscribeAsync("long/#", { qos: 1 });
    await nats.kill();
    while ((await reasonOf(publisher, "long/x", "lost")) !== 0x10)
      await new Promise((next) => setTimeout(next, TICK_MS));
    assert.match(await there.metrics.text(), /muster_bus_connected\{bus="nats"\} 0/);
    await nats.start();
    await eachKnows(nodes);
    while ((await reasonOf(publisher, "long/x", "again")) !== 0);
    await eventually(async () => got.payloads().includes("again"));
    assert.deepEqual(new Set(got.payloads()), new Set(["again"]), "what waited is dropped, and counted");
    assert.match(await there.metrics.text(), /muster_bus_dropped_total\{qos="1"\} [1-9]/);
  });

  test("unacknowledged messages of a killed process's shared subscription go to another member", async () => {
    const [here, there] = nodes as [Node, Node];
    const killed = await joinRaw(nats, "$share/group/jobs/#", nodes.length);
    const [member, publisher] = [await client(here), await client(there)];
    const got = received(member);
    await member.subscribeAsync("$share/group/jobs/#", { qos: 1 });
    const expected = Array.from({ length: 20 }, (_, n) => String(n));
    for (const payload of expected) await publisher.publishAsync("jobs/x", payload, { qos: 1 });
    await eventually(async () => killed.frames.some(({ type }) => type === "shared"));
    await killed.kill();
    await got.atLeast(expected.length);
    assert.deepEqual(new Set(got.payloads()), new Set(expected));
  });

  async function startNode({ port }: Pick<NatsServer, "port">, given: Partial<NatsBusDeps> = {}): Promise<Node> {
    const [metrics, logs] = [createMetrics(), [] as string[]];
    const logger = createLogger("info", { write: (line) => void logs.push(line) });
    const bus = createNatsBus(settingsOf({ port }), { metrics, logger, tickMs: TICK_MS, ...given });
    const broker = createPermissiveBroker(0, bus);
    return { broker, metrics, logs, ...(await broker.start()) };
  }

  test("messages of a shared subscription go to live members before a killed process is forgotten", async () => {
    const own = await startNats();
    const pair = [await startNode(own, { tickMs: FOREVER_MS }), await startNode(own, { tickMs: FOREVER_MS })] as const;
    await eachKnows(pair);
    const killed = await joinRaw(own, "$share/present/at/#", pair.length);
    const [member, publisher] = [await client(pair[0]), await client(pair[1])];
    const got = received(member);
    await member.subscribeAsync("$share/present/at/#", { qos: 1 });
    await killed.kill();
    const lastTen = () => got.payloads().slice(-10).map(Number);
    for (let n = 0; lastTen().length < 10 || lastTen()[9]! - lastTen()[0]! > 9; n++) {
      await publisher.publishAsync("at/x", String(n), { qos: 1 });
    }
    assert.match(await pair[1].metrics.text(), /muster_bus_peers 2/, "it is not forgotten");
    for (const { broker } of pair) await broker.stop();
    await own.stop();
  });

  test("a node that starts while NATS is down serves its clients, and joins the others when it is back", async () => {
    const other = await startNats();
    await other.kill();
    const lonely = await startNode(other);
    const [subscriber, publisher] = [await client(lonely), await client(lonely)];
    const got = received(subscriber);
    await subscriber.subscribeAsync("lonely/x", { qos: 1 });
    await publisher.publishAsync("lonely/x", "here", { qos: 1 });
    assert.equal((await got.atLeast(1))[0]!.payload, "here");
    assert.ok(lonely.logs.some((line) => line.includes("no NATS server answers")));
    await other.start();
    const second = await startNode(other);
    await eachKnows([lonely, second]);
    await (await client(second)).publishAsync("lonely/x", "from there", { qos: 1 });
    assert.equal((await got.atLeast(2))[1]!.payload, "from there");
    for (const { broker } of [lonely, second]) await broker.stop();
    await other.stop();
  });
});
