/** A node that a proxy cuts off from the database, beside one that stays connected. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, type TestContext, test } from "node:test";
import { sql } from "kysely";
import type mqtt from "mqtt";
import type { Db } from "../../../src/db/database.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import {
  onPostgres,
  openTestDatabase,
  secondDatabase,
  type TestDatabase,
  testDatabase,
} from "../../harness/database/database.ts";
import { type DatabaseProxy, databaseProxy } from "../../harness/database/database-proxy.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newTenant,
  type TestDevice,
  type TestTenant,
} from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { testFeatures } from "../../harness/features.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** The node ends its sessions itself after 8 of the 10 s after which others reap it. */
const OWN_MS = 8 * SECOND;
const USE_ANOTHER_SERVER = 0x9c;

describe("a node that is cut off from the database", () => {
  // The embedded database runs in the only process that uses it.
  if (!onPostgres) return;
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let leaseClock: FakeClock;
  let cutOff: TestServer;
  let other: TestServer;
  let tenant: TestTenant;

  before(async () => {
    database = await testDatabase();
    proxy = await databaseProxy(database.url!);
    leaseClock = new FakeClock();
    cutOff = await startServer({ databaseUrl: proxy.url, leaseClock });
    other = await startServer({ databaseUrl: database.url! });
    tenant = await newTenant(other);
  });
  after(async () => {
    proxy?.heal();
    await cutOff?.stop();
    await other?.stop();
    await proxy?.close();
    await database?.remove();
  });

  const answers = (client: mqtt.MqttClient) =>
    new Promise<boolean>((resolve) => {
      client.once("packetreceive", ({ cmd }) => resolve(cmd === "pingresp"));
      client.once("close", () => resolve(false));
      client.sendPing();
    });
  const readiness = async () => (await https(`${cutOff.httpUrl}/readyz`, { ca: cutOff.ca })).json;
  /** Returns the sessions that the database lists, each with its node. */
  const nodesOf = async ({ deviceId }: TestDevice) =>
    (
      await other.app.database.db
        .selectFrom("mqtt_sessions")
        .select("node_id")
        .where("client_id", "=", deviceId)
        .execute()
    ).map(({ node_id }) => node_id);

  for (const how of ["vanish", "pause"] as const) {
    test(`ends its sessions before others reap it (${how}), and serves again once the database answers`, async () => {
      const devices = await Promise.all([1, 2, 3].map(() => enrollDevice(other, tenant)));
      const [moves, stays, five] = devices as [TestDevice, TestDevice, TestDevice];
      const first = await connectMqtt(cutOff, moves);
      const second = await connectMqtt(cutOff, stays);
      const codes: (number | undefined)[] = [];
      const third = await connectMqtt(cutOff, five, { protocolVersion: 5 });
      third.on("disconnect", ({ reasonCode }) => codes.push(reasonCode));
      await cutOff.app.connections.beatNow();
      proxy[how]();
      // A client is admitted elsewhere immediately. Its abandoned connection is closed when the lease ends at the
      // latest.
      const moved = await connectMqtt(other, moves);
      leaseClock.advance(OWN_MS - 1);
      assert.deepEqual(await Promise.all([first, second, third].map(answers)), [true, true, true]);
      leaseClock.advance(1);
      await Promise.all([first, second, third].map(closed));
      assert.deepEqual(codes, [USE_ANOTHER_SERVER]);
      const { status, lease } = await readiness();
      assert.deepEqual([status, lease], ["unavailable", false]);
      await assert.rejects(connectMqtt(cutOff, stays));
      proxy.heal();
      assert.ok(await eventually(async () => (await readiness()).status === "ok"));
      assert.equal(await answers(moved), true);
      assert.deepEqual(await nodesOf(moves), [other.app.nodeId]);
      const again = await connectMqtt(cutOff, stays);
      assert.deepEqual(await nodesOf(stays), [cutOff.app.nodeId]);
      assert.match(await cutOff.app.metrics.text(), /^muster_node_leases_ended_total [1-9]/m);
      for (const client of [moved, again]) await client.endAsync(true);
    });
  }

  test("has its sessions set offline by the node that reaps it, and restores none of them", async () => {
    const device = await enrollDevice(other, tenant);
    const client = await connectMqtt(cutOff, device);
    await cutOff.app.connections.flush();
    proxy.vanish();
    leaseClock.advance(OWN_MS);
    await closed(client);
    await other.app.database.db
      .updateTable("broker_nodes")
      .set({ beat_at: new Date(0) })
      .where("id", "=", cutOff.app.nodeId!)
      .execute();
    await other.app.connections.beatNow();
    const connectivity = async () => (await other.app.devices.getDevice(tenant.caller, device.deviceId)).connectivity;
    assert.deepEqual([(await connectivity()).status, (await connectivity()).reason], ["offline", "node_lost"]);
    proxy.heal();
    assert.ok(await eventually(async () => (await readiness()).lease));
    await cutOff.app.connections.flush();
    assert.deepEqual(await nodesOf(device), []);
    assert.equal((await connectivity()).status, "offline");
  });

  const valuesOf = async ({ deviceId }: TestDevice) =>
    (await other.app.telemetry.listLatest(tenant.caller, deviceId)).map(({ value }) => value);

  test("ignores what a client sent while the node stood still for longer than its lease", async () => {
    await eventually(async () => (await readiness()).lease);
    const device = await enrollDevice(other, tenant);
    const client = await connectMqtt(cutOff, device);
    await client.publishAsync(device.topic, '{"n":1}', { qos: 1 });
    leaseClock.advance(OWN_MS);
    client.publish(device.topic, '{"n":2}', { qos: 1 }, () => undefined);
    await closed(client);
    await cutOff.app.telemetry.drain();
    assert.deepEqual(await valuesOf(device), [1]);
  });

  test("does not store pending messages after it stood still for longer than its lease", async () => {
    assert.ok(await eventually(async () => (await readiness()).lease));
    const device = await enrollDevice(other, tenant);
    const client = await connectMqtt(cutOff, device);
    await other.app.database.db.transaction().execute(async (tx) => {
      await sql`LOCK TABLE device_latest IN ACCESS EXCLUSIVE MODE`.execute(tx);
      client.publish(device.topic, '{"n":1}', { qos: 1 }, () => undefined);
      assert.ok(await eventually(() => isBlocked(other.app.database.connects)));
      leaseClock.advance(OWN_MS);
      await closed(client);
    });
    client.end(true);
    await cutOff.app.telemetry.drain();
    assert.deepEqual(await valuesOf(device), []);
  });

  test("refuses a session that the database recorded while the lease ended", async (t: TestContext) => {
    const first = await openTestDatabase();
    const second = await secondDatabase(first);
    const clock = new FakeClock();
    const own = new FakeClock();
    const { connections, access } = testFeatures({ database: first, clock, leaseClock: own, heartbeatMs: 3_600_000 });
    t.after(async () => {
      await connections.stopNode();
      await second.close();
      await first.close();
      await first.remove();
    });
    const nodeId = await connections.startNode();
    const { id: tenantId } = await access.createTenant({ slug: "acme", name: "Acme" });
    const caller = await access.systemCaller("acme");
    const client = await connections.createMqttClient(caller, { clientId: "gateway", username: "gateway" });
    const session = {
      sessionId: randomUUID(),
      clientId: "gateway",
      tenantId,
      deviceUid: null,
      certificateId: null,
      mqttClientId: client.id,
      remoteAddress: "127.0.0.1",
    };
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const other = second.db.transaction().execute(async (tx) => {
      const row = { client_id: session.clientId, session_id: randomUUID(), seq: "1", node_id: nodeId };
      const rest = { tenant_id: tenantId, remote_address: "127.0.0.1", connected_at: clock.now() };
      await tx
        .insertInto("mqtt_sessions")
        .values({ ...row, ...rest })
        .execute();
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const opening = connections.openSession(session);
    opening.catch(() => undefined);
    assert.ok(await eventually(() => isBlocked(second.db)));
    own.advance(OWN_MS);
    release.resolve();
    await other;
    await assert.rejects(opening, /lease of this node ended/);
    await assert.rejects(connections.openSession({ ...session, sessionId: randomUUID() }), /has no lease/);
    await connections.beatNow();
    await connections.flush();
    assert.deepEqual(await second.db.selectFrom("mqtt_sessions").selectAll().execute(), []);
    await connections.openSession({ ...session, sessionId: randomUUID() });
  });
});

/** Returns whether a statement of this database waits for a lock. */
async function isBlocked(db: Db): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}
