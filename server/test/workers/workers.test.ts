import assert from "node:assert/strict";
import { Agent } from "node:https";
import { after, before, describe, test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import { ask } from "../harness/database/postgres.ts";
import { closed, connectMqtt } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { https } from "../harness/http/https.ts";
import { musterProcess } from "../harness/processes/command-line.ts";
import type { CrashFixture } from "../harness/processes/crash.ts";
import { startProcess } from "../harness/processes/process.ts";
import { ResendingDevice } from "./resending-device.ts";
import {
  connectElsewhere,
  gateway,
  nodeOf,
  processesOf,
  REQUESTS,
  replaced,
  startWorkers,
  storedOf,
  TELEMETRY,
  WORKERS,
} from "./service.ts";
import { StoredSubscriber } from "./stored-subscriber.ts";

/** Acknowledgements of each device before a process is ended. */
const ENOUGH = 20;
/**
 * The number of clients with a stored session. The probability that one of two workers has none of them is 1 in 4,096.
 */
const STORED = 12;
/**
 * The number of requests with a connection each. The probability that one of two workers receives none is 1 in 16,000.
 */
const ROUND = 15;

/** Several processes need PostgreSQL: the embedded database has one. */
describe("a service of several processes", () => {
  if (!onPostgres || process.platform !== "linux") return;
  let service: CrashFixture;
  before(async () => {
    service = await startWorkers();
  });
  after(async () => {
    // Its processes end before their database does.
    await service.server.end("SIGTERM");
    await service.close();
  });

  const names = () => processesOf(service).map(({ name }) => name);

  const nodes = () => ask(service.databaseUrl!, "SELECT id FROM broker_nodes");

  /** Resolves when the node of a killed process is removed and that of its successor exists. */
  async function assertReaped(): Promise<void> {
    const reaped = await eventually(async () => (await nodes()).length === WORKERS + 1);
    assert.ok(reaped, `${(await nodes()).length} nodes`);
  }

  /**
   * Publishes from devices while `act` runs, and until each has some more acknowledgements after it.
   * @returns the devices
   */
  async function publishingWhile(count: number, act: () => Promise<unknown>): Promise<ResendingDevice[]> {
    const devices: ResendingDevice[] = [];
    for (let n = 0; n < count; n++) devices.push(new ResendingDevice(service, await service.enroll()));
    const running = devices.map((each) => each.run());
    const haveMore = (more: number) => {
      const wanted = devices.map(({ acknowledged }) => acknowledged.length + more);
      return eventually(async () => devices.every(({ acknowledged }, at) => acknowledged.length >= wanted[at]!));
    };
    try {
      assert.ok(await haveMore(ENOUGH), "before");
      await act();
      assert.ok(await haveMore(ENOUGH), "after");
    } finally {
      for (const each of devices) each.stop();
    }
    await Promise.all(running);
    return devices;
  }

  /** Asserts that every acknowledged message is stored, and none twice. */
  async function assertStoredOnce(devices: readonly ResendingDevice[]): Promise<void> {
    for (const { device, acknowledged } of devices)
      assert.deepEqual(await storedOf(service, device.deviceId), acknowledged, device.deviceId);
  }

  test("one process has the jobs, the others serve, and the metrics of all are in one text", async () => {
    assert.deepEqual(names().sort(), ["jobs", "serve-1", "serve-2"]);
    const text = await (await fetch(service.server.metricsUrl)).text();
    assert.match(text, new RegExp(`^muster_workers\\{role="serve"\\} ${WORKERS}$`, "m"));
    for (const name of names())
      assert.match(text, new RegExp(`^nodejs_eventloop_lag_seconds\\{worker="${name}"\\}`, "m"));
    assert.equal(text.match(/^muster_roll_ups_due /gm)?.length, 1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.api("GET", "devices")));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });

  test("requests of one address count in every worker", async () => {
    const ofOneAddress = {
      method: "POST",
      body: {},
      ca: service.server.ca,
      headers: { "x-forwarded-for": "192.0.2.7" },
    };
    const ask = async () => {
      // Each request has its own connection, so that the kernel picks the worker.
      const agent = new Agent({ keepAlive: false });
      const { status } = await https(`${service.server.httpUrl}/api/provisioning/cert/renew`, {
        ...ofOneAddress,
        agent,
      });
      return status;
    };
    let admitted = 0;
    const isRefusedEverywhere = async () => {
      const statuses = [];
      for (let n = 0; n < ROUND; n++) statuses.push(await ask());
      admitted += statuses.filter((status) => status !== 429).length;
      return statuses.every((status) => status === 429);
    };
    while (!(await isRefusedEverywhere())) assert.ok(admitted < 2 * REQUESTS, `${admitted} requests were admitted`);
    assert.ok(admitted >= REQUESTS, `${admitted} requests were admitted`);
  });

  test("a subscriber receives the messages of devices of every worker, in the order of each device", async () => {
    const [one, other] = [await service.enroll(), await service.enroll()];
    const subscriber = await gateway(service, "listener");
    const got = new Map<string, number[]>();
    subscriber.on("message", (topic, payload) => {
      got.set(topic, [...(got.get(topic) ?? []), JSON.parse(payload.toString()).n]);
    });
    await subscriber.subscribeAsync(TELEMETRY, { qos: 1 });
    const here = await nodeOf(service, "listener");
    const near = await connectElsewhere(service, one, undefined);
    const far = await connectElsewhere(service, other, near.node);
    assert.ok([near.node, far.node].includes(here!), "one of them is at the subscriber's worker");
    const expected = Array.from({ length: 50 }, (_, n) => n);
    for (const n of expected) {
      await near.client.publishAsync(one.topic, JSON.stringify({ n }), { qos: 1 });
      await far.client.publishAsync(other.topic, JSON.stringify({ n }), { qos: 1 });
    }
    await eventually(async () => [one, other].every(({ topic }) => got.get(topic)?.length === expected.length));
    assert.deepEqual([got.get(one.topic), got.get(other.topic)], [expected, expected]);
    await Promise.all([subscriber, near.client, far.client].map((each) => each.endAsync()));
  });

  test("a device that connects at another worker loses its first session, and a revocation ends the session at any worker", async () => {
    const device = await service.enroll();
    const first = await connectElsewhere(service, device, undefined);
    const lost = closed(first.client);
    const second = await connectElsewhere(service, device, first.node);
    await lost;
    assert.equal(await nodeOf(service, device.deviceId), second.node);
    const ended = closed(second.client);
    const [{ id }] = await service.certificates(device.deviceId);
    const { status } = await service.api("DELETE", `device-certificates/${id}`);
    assert.equal(status, 204);
    assert.equal(await nodeOf(service, device.deviceId), undefined);
    await ended;
    await assert.rejects(connectMqtt(service.server, device), /Not authorized/);
  });

  test("when a worker is killed, another takes its devices, nothing acknowledged is lost, and the worker is restarted", async () => {
    const victim = processesOf(service).find(({ name }) => name === "serve-1")!;
    const devices = await publishingWhile(4, async () => {
      process.kill(victim.pid, "SIGKILL");
      await replaced(service, victim);
    });
    await assertStoredOnce(devices);
    const nodes = () => ask(service.databaseUrl!, "SELECT id FROM broker_nodes");
    assert.ok(
      await eventually(async () => (await nodes()).length === WORKERS + 1),
      "the node of the killed one is gone",
    );
    await service.doctor();
  });

  test("messages published after a worker was killed wait for its clients' stored sessions", async () => {
    const subscribers = Array.from({ length: STORED }, (_, n) => new StoredSubscriber(service, `stored-${n}`));
    for (const each of subscribers) await each.subscribe();
    const device = await service.enroll();
    const ended = Promise.race(subscribers.map(({ client }) => closed(client)));
    const victim = processesOf(service).find(({ name }) => name === "serve-1")!;
    process.kill(victim.pid, "SIGKILL");
    await ended;
    // The kernel resets a connection that the killed process had not accepted yet.
    const publisher = (await eventually(() => connectMqtt(service.server, device).catch(() => undefined)))!;
    const expected = Array.from({ length: 20 }, (_, n) => n);
    for (const n of expected) await publisher.publishAsync(device.topic, JSON.stringify({ n }), { qos: 1 });
    await replaced(service, victim);
    for (const each of subscribers) if (!each.client.connected) await each.connect();
    const got = () => subscribers.map(({ received }) => received.get(device.topic) ?? []);
    await eventually(async () => got().every(({ length }) => length >= expected.length));
    for (const numbers of got()) assert.deepEqual(numbers, expected);
    for (const { client } of [...subscribers, { client: publisher }]) await client.endAsync();
    await assertReaped();
  });

  async function topicsOfWills(): Promise<string[]> {
    const rows = await ask<{ topic: string }>(service.databaseUrl!, "SELECT topic FROM wills");
    return rows.map(({ topic }) => topic);
  }

  test("when a worker is killed, the wills of its connected clients are published once, and those of others are not", async () => {
    const subscriber = new StoredSubscriber(service, "of-wills");
    await subscriber.subscribe();
    const devices = await Promise.all(Array.from({ length: STORED }, () => service.enroll()));
    const clients = await Promise.all(
      devices.map((device) => {
        const will = { topic: device.topic, payload: Buffer.from('{"n":-1}'), qos: 1 as const, retain: false };
        return connectMqtt(service.server, device, { will });
      }),
    );
    const lost = new Set<string>();
    await clients.shift()!.endAsync();
    // A process that is killed before it has read the DISCONNECT leaves the will to be published.
    assert.ok(await eventually(async () => !(await topicsOfWills()).includes(devices[0]!.topic)));
    for (const [at, client] of clients.entries()) client.on("close", () => lost.add(devices[at + 1]!.topic));
    const victim = processesOf(service).find(({ name }) => name === "serve-1")!;
    process.kill(victim.pid, "SIGKILL");
    await replaced(service, victim);
    const topics = [...lost].toSorted();
    assert.ok(topics.length > 0);
    await assertReaped();
    if (!subscriber.client.connected) await subscriber.connect();
    assert.ok(await eventually(async () => topics.every((topic) => subscriber.received.has(topic))));
    for (const client of clients) await client.endAsync();
    const [left] = devices;
    const publisher = await connectMqtt(service.server, left!);
    await publisher.publishAsync(left!.topic, '{"n":1}', { qos: 1 });
    assert.ok(await eventually(async () => subscriber.received.has(left!.topic)));
    const expected = new Map(topics.map((topic) => [topic, [-1]]));
    assert.deepEqual(subscriber.received, expected.set(left!.topic, [1]));
    for (const client of [publisher, subscriber.client]) await client.endAsync();
  });

  test("when the process with the jobs is killed, devices notice nothing, and it is restarted", async () => {
    const victim = processesOf(service).find(({ name }) => name === "jobs")!;
    const devices = await publishingWhile(2, async () => {
      process.kill(victim.pid, "SIGKILL");
      await replaced(service, victim);
    });
    await assertStoredOnce(devices);
    assert.deepEqual(
      devices.map(({ connects }) => connects),
      [1, 1],
    );
    await assertReaped();
    assert.ok(await eventually(() => service.server.command("doctor", { deep: false }).catch(() => undefined)));
  });

  test("a rolling restart replaces every process; devices reconnect, and every acknowledged message is stored once", async () => {
    const before = processesOf(service);
    const devices = await publishingWhile(4, async () => {
      const { stdout, code } = await musterProcess(["restart", "--rolling"], service.dataDir);
      assert.deepEqual([stdout, code], [`Restarted ${WORKERS + 1} processes.\n`, 0]);
      const { pid } = await service.server.command("process", {});
      assert.ok(!before.some((each) => each.pid === pid), "the next command finds the new process");
      for (const each of before) await replaced(service, each);
    });
    await assertStoredOnce(devices);
    assert.ok(devices.some(({ connects }) => connects > 1));
    assert.deepEqual(names().sort(), ["jobs", "serve-1", "serve-2"]);
    await service.doctor();
  });

  test("when the supervisor is killed, its processes finish their work and end, and the service can be started again", async () => {
    const device = await service.enroll();
    const client = await connectMqtt(service.server, device);
    const ended = closed(client);
    const before = processesOf(service);
    await service.server.end("SIGKILL");
    await ended;
    const isRunning = (pid: number) => process.kill(pid, 0);
    for (const { pid } of before)
      assert.ok(
        await eventually(async () => {
          try {
            return !isRunning(pid);
          } catch {
            return true;
          }
        }),
      );
    assert.deepEqual(await nodes(), []);
    await service.restart();
    const again = await connectMqtt(service.server, device);
    await again.publishAsync(device.topic, '{"n":1}', { qos: 1 });
    await again.endAsync();
  });

  test("a second service does not join the ports of the first", async () => {
    const ports = { MUSTER_MQTT_PORT: String(service.server.mqttPort), MUSTER_WORKERS: "2" };
    const env = { MUSTER_MASTER_KEY: service.masterKey, ...ports };
    await assert.rejects(
      startProcess(`${service.dataDir}/other`, service.databaseUrl, { env }),
      /the service ended with 1/,
    );
  });
});
