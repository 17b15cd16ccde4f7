import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import type { MqttClient } from "mqtt";
import { systemClock } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { ask } from "../../harness/database/postgres.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newTenant,
  type TestDevice,
  type TestTenant,
} from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { publish, range, storedOf, storedUpTo, streamIs, streamServices } from "../../harness/ingest-stream.ts";
import { assertDoctorSays } from "../../harness/processes/doctor-says.ts";
import {
  type NatsServer,
  natsMissing,
  startJetStream,
  startJetStreamCluster,
} from "../../harness/processes/nats-server.ts";
import { startProcess } from "../../harness/processes/process.ts";
import { startServer, TEST_MASTER_KEY, type TestServer } from "../../harness/server.ts";
import { appendAgain, messagesIn } from "./messages-in-stream.ts";

type Services = Awaited<ReturnType<typeof streamServices>>;

/** Longer than the lease of a node (6 s): without the stream the process would have ended its sessions. */
const OUTAGE_MS = 9_000;

describe("MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let nats: NatsServer;
  let services: Services;
  let first: TestServer;
  let tenant: TestTenant;

  before(async () => {
    nats = await startJetStream();
    services = await streamServices([nats], 2);
    first = services.servers[0]!;
    tenant = await newTenant(first);
  });
  after(async () => {
    await services?.stop();
    await nats?.stop();
  });

  const newClient = async (server = first): Promise<[TestDevice, MqttClient]> => {
    const device = await enrollDevice(first, tenant);
    // A previous test may have stopped the database: a process needs a moment to reconnect.
    const client = await eventually(() => connectMqtt(server, device).catch(() => undefined));
    return [device, client!];
  };

  test("acknowledged messages are stored once, in the order in which the device sent them", async () => {
    const [device, client] = await newClient();
    await publish(client, device, range(0, 500));
    await client.publishAsync(device.topic, "no JSON", { qos: 1 });
    await publish(client, device, range(500, 1000));
    const stored = await storedUpTo(services.url, device, 999);
    client.end(true);
    assert.deepEqual(stored, { numbers: range(0, 1000), rejected: 1 });
    assert.ok(await streamIs(first, true));
  });

  test("while PostgreSQL is down, sessions stay and messages are acknowledged; then they are stored once and in order", async () => {
    const [device, client] = await newClient();
    await publish(client, device, range(0, 100));
    services.proxy.vanish();
    const until = performance.now() + OUTAGE_MS;
    let next = 100;
    while (performance.now() < until) {
      await publish(client, device, range(next, next + 10));
      next += 10;
      await pause(100);
    }
    await client.publishAsync(device.topic, "no JSON", { qos: 1 });
    services.proxy.heal();
    await publish(client, device, range(next, next + 50));
    const stored = await storedUpTo(services.url, device, next + 49);
    assert.equal(client.connected, true);
    client.end(true);
    assert.deepEqual(stored, { numbers: range(0, next + 50), rejected: 1 });
  });

  for (const [which, beat] of [
    ["", "now()"],
    [" and whose heartbeat is old", "now() - interval '10 seconds'"],
  ])
    test(`a process that is cut off from PostgreSQL${which} serves no client that another process serves`, async (t) => {
      const clocks = { leaseClock: systemClock, machineClock: systemClock };
      const other = await startServer({ env: services.env, databaseUrl: services.url, ...clocks });
      const [device, client] = await newClient();
      t.after(async () => {
        services.proxy.heal();
        client.end(true);
        await other.stop();
      });
      await publish(client, device, [0]);
      services.proxy.vanish();
      await ask(services.url, `UPDATE broker_nodes SET beat_at = ${beat} WHERE id = '${first.app.nodeId}'`);
      await publish(client, device, [1]);
      let isClosed = false;
      const ended = closed(client).then(() => {
        isClosed = true;
      });
      const there = await connectMqtt(other, device);
      // Messages on two connections of a client may arrive in any order.
      await Promise.race([ended, pause(1_000)]);
      assert.equal(isClosed, true);
      await publish(there, device, [2]);
      there.end(true);
    });

  test("a client that connects to two processes is served by one, and no longer by one that is cut off from PostgreSQL", async (t) => {
    const clocks = { leaseClock: systemClock, machineClock: systemClock };
    const start = () => startServer({ env: services.env, databaseUrl: services.url, ...clocks });
    const others = [await start(), await start()];
    const [device, client] = await newClient();
    t.after(async () => {
      services.proxy.heal();
      client.end(true);
      for (const other of others) await other.stop();
    });
    await publish(client, device, [0]);
    services.proxy.vanish();
    await ask(services.url, `UPDATE broker_nodes SET beat_at = now() WHERE id = '${first.app.nodeId}'`);
    let isClosed = false;
    const ended = closed(client).then(() => {
      isClosed = true;
    });
    const both = others.map((other) => connectMqtt(other, device));
    for (const each of both) each.then((there) => t.after(() => there.end(true))).catch(() => undefined);
    const there = await Promise.any(both);
    // Messages on two connections of a client may arrive in any order.
    await Promise.race([ended, pause(100)]);
    assert.equal(isClosed, true);
    await publish(there, device, [1]);
  });

  test("while NATS is down, acknowledgements wait and the doctor reports it; they arrive when NATS is back", async () => {
    const [device, client] = await newClient();
    await publish(client, device, range(0, 10));
    await nats.kill();
    assert.ok(await streamIs(first, false));
    await assertDoctorSays(first, [/^no server .*: .*start the servers/, /: .*a majority of the NATS servers runs/]);
    let isAcknowledged = false;
    const published = publish(client, device, range(10, 20)).then(() => {
      isAcknowledged = true;
    });
    assert.equal(isAcknowledged, false);
    await nats.start();
    await published;
    assert.ok(await streamIs(first, true));
    await assertDoctorSays(first, [undefined, undefined]);
    const stored = await storedUpTo(services.url, device, 19);
    client.end(true);
    assert.deepEqual(stored!.numbers, range(0, 20));
  });

  test("a batch that is appended again under another id is stored once", async () => {
    const [device, client] = await newClient();
    services.proxy.vanish();
    await client.publishAsync(device.topic, "no JSON", { qos: 1 });
    await publish(client, device, range(0, 20));
    await appendAgain(nats);
    services.proxy.heal();
    await publish(client, device, [20]);
    const stored = await storedUpTo(services.url, device, 20);
    client.end(true);
    assert.deepEqual(stored, { numbers: range(0, 21), rejected: 1 });
  });

  test("when the storing process is killed, another one takes over within seconds, without gap or repetition", async (t) => {
    const env = { ...services.env, MUSTER_MASTER_KEY: TEST_MASTER_KEY, MUSTER_LOG_LEVEL: "info" };
    const folder = await mkdtemp(join(tmpdir(), "muster-killed-"));
    const killed = await startProcess(folder, services.url, { env });
    t.after(async () => {
      await killed.end("SIGKILL");
      await rm(folder, { recursive: true });
    });
    const owners = () =>
      ask<{ owner_id: string }>(
        services.url,
        "SELECT DISTINCT owner_id FROM stream_partitions WHERE owner_id IS NOT NULL",
      );
    assert.ok(await eventually(async () => (await owners()).length === 3));
    const device = await enrollDevice(first, tenant);
    const client = await connectMqtt(killed, device);
    const acknowledged: number[] = [];
    let n = 0;
    const isClosed = closed(client);
    while (client.connected) {
      const number = n++;
      client.publish(device.topic, `{"n":${number}}`, { qos: 1 }, (error) => error || acknowledged.push(number));
      if (n % 20 === 0) await pause(20);
      if (acknowledged.length > 100) void killed.end("SIGKILL");
    }
    await isClosed;
    const again = await connectMqtt(first, device);
    await publish(again, device, [100_000]);
    const stored = await storedUpTo(services.url, device, 100_000);
    again.end(true);
    client.end(true);
    const counts = new Map<number, number>();
    for (const number of stored!.numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
    assert.ok(acknowledged.length > 100);
    assert.deepEqual(
      acknowledged.filter((number) => counts.get(number) !== 1),
      [],
    );
    assert.deepEqual(
      stored!.numbers,
      stored!.numbers.toSorted((a, b) => a - b),
    );
  });
});

describe("a full ingest stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("makes acknowledgements wait; when the database is back, everything is stored and acknowledged", async (t) => {
    const nats = await startJetStream();
    const services = await streamServices([nats], 1, { MUSTER_NATS_STREAM_BYTES: String(1024 ** 2) });
    t.after(async () => {
      await services.stop();
      await nats.stop();
    });
    const [server] = services.servers as [TestServer];
    const tenant = await newTenant(server);
    const device = await enrollDevice(server, tenant);
    const client = await connectMqtt(server, device);
    await publish(client, device, [-1]);
    assert.ok(await storedUpTo(services.url, device, -1));
    services.proxy.vanish();
    let acknowledged = 0;
    const long = (n: number) => `{"n":${n}}${" ".repeat(20_000)}`;
    const published = range(0, 100).map(async (n) => {
      await client.publishAsync(device.topic, long(n), { qos: 1 });
      acknowledged++;
    });
    assert.ok(await streamIs(server, false));
    assert.ok(acknowledged > 10 && acknowledged < 100, `${acknowledged} messages were acknowledged`);
    services.proxy.heal();
    await Promise.all(published);
    const stored = await storedUpTo(services.url, device, 99);
    client.end(true);
    assert.deepEqual(stored!.numbers, range(-1, 100));
    assert.ok(await streamIs(server, true));
  });
});

describe("an ingest stream with a long backlog", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("is stored and deleted to its end, even if devices of other partitions send nothing more", async (t) => {
    const nats = await startJetStream();
    const services = await streamServices([nats], 2);
    t.after(async () => {
      await services.stop();
      await nats.stop();
    });
    const [server] = services.servers as [TestServer];
    const tenant = await newTenant(server);
    const devices: { device: TestDevice; client: MqttClient }[] = [];
    for (let n = 0; n < 4; n++) {
      const device = await enrollDevice(server, tenant);
      devices.push({ device, client: await connectMqtt(server, device) });
    }
    const [sender, ...quiet] = devices as [(typeof devices)[0], ...typeof devices];
    services.proxy.vanish();
    for (const { device, client } of quiet) await publish(client, device, [0]);
    const long = (n: number) => `{"n":${n}}${" ".repeat(30_000)}`;
    const send = (n: number) => sender.client.publishAsync(sender.device.topic, long(n), { qos: 1 });
    for (const n of range(0, 4)) await Promise.all(range(40 * n, 40 * (n + 1)).map(send));
    services.proxy.heal();
    const stored = await storedUpTo(services.url, sender.device, 159);
    assert.deepEqual(stored!.numbers, range(0, 160));
    assert.ok(await eventually(async () => (await messagesIn(nats)) === 0));
    for (const { client } of devices) client.end(true);
  });
});

describe("a lost ingest stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("is created again, and all messages acknowledged after that are stored, although its sequences restart", async (t) => {
    const nats = await startJetStream();
    const services = await streamServices([nats], 1);
    t.after(async () => {
      await services.stop();
      await nats.stop();
    });
    const [server] = services.servers as [TestServer];
    const tenant = await newTenant(server);
    const device = await enrollDevice(server, tenant);
    const client = await connectMqtt(server, device);
    for (const n of range(0, 20)) await publish(client, device, [n]);
    assert.ok(await storedUpTo(services.url, device, 19));
    const connection = await connect({ servers: `127.0.0.1:${nats.port}` });
    await connection.request("$JS.API.STREAM.DELETE.MUSTER_INGEST", "", { timeout: 5_000 });
    await connection.close();
    await publish(client, device, range(20, 25));
    const stored = await storedUpTo(services.url, device, 24);
    client.end(true);
    assert.deepEqual(stored?.numbers, range(0, 25));
  });
});

describe("the ingest stream on three NATS servers", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("continues when its leader is killed: nothing acknowledged is lost or stored twice", async (t) => {
    const nats = await startJetStreamCluster();
    const services = await streamServices(nats, 2);
    t.after(async () => {
      await services.stop();
      for (const server of nats) await server.stop();
    });
    const [server] = services.servers as [TestServer];
    assert.ok(await streamIs(server, true));
    const tenant = await newTenant(server);
    const device = await enrollDevice(server, tenant);
    const client = await connectMqtt(server, device);
    await publish(client, device, range(0, 200));
    const connection = await connect({ servers: nats.map(({ port }) => `127.0.0.1:${port}`) });
    const info = (await connection.request("$JS.API.STREAM.INFO.MUSTER_INGEST")).json<{
      config: { num_replicas: number };
      cluster: { leader: string };
    }>();
    await connection.close();
    assert.equal(info.config.num_replicas, 3);
    const published = publish(client, device, range(200, 400));
    await nats[Number(info.cluster.leader.slice(1))]!.kill();
    await published;
    await client.publishAsync(device.topic, "no JSON", { qos: 1 });
    await publish(client, device, range(400, 500));
    const stored = await storedUpTo(services.url, device, 499);
    client.end(true);
    assert.deepEqual(stored, { numbers: range(0, 500), rejected: 1 });
  });
});

describe("a change of MUSTER_INGEST", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  test("process by process loses and reorders nothing: all append until none must, and nothing remains", async (t) => {
    const nats = await startJetStream();
    const services = await streamServices([nats], 1, { MUSTER_INGEST: "direct" });
    t.after(async () => {
      await services.stop();
      await nats.stop();
    });
    const [direct] = services.servers as [TestServer];
    const ways = async () => {
      const rows = await ask<{ way: string }>(services.url, "SELECT way FROM stream_processes ORDER BY way");
      return rows.map(({ way }) => way).join();
    };
    const tenant = await newTenant(direct);
    const device = await enrollDevice(direct, tenant);
    const client = await connectMqtt(direct, device);
    await publish(client, device, range(0, 50));
    assert.equal((await storedOf(services.url, device)).numbers.length, 50);
    const streaming = await services.start({ MUSTER_INGEST: "stream" });
    const published = publish(client, device, range(50, 100));
    assert.ok(await eventually(async () => (await ways()) === "stream,stream"));
    await published;
    await publish(client, device, range(100, 150));
    await streaming.app.stop();
    assert.ok(await eventually(async () => (await ways()) === "direct"));
    await publish(client, device, range(150, 200));
    const stored = await storedOf(services.url, device);
    client.end(true);
    assert.deepEqual(stored.numbers, range(0, 200));
  });
});
