import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import type { Connections } from "../../../src/connections/connections.ts";
import type { Db } from "../../../src/db/database.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import { openTestDatabase, secondDatabase } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { testFeatures } from "../../harness/features.ts";
import { brokerFor } from "../environment.ts";
import { connectPacket, DISCONNECT, publishPacket, rawClient } from "../raw-client.ts";

/** Returns the recorded connectivity events of a device, oldest first. */
async function eventsOf(db: Db, deviceId: string): Promise<string[]> {
  const select = `SELECT changed_row->>'connectivity' AS state FROM events
                   WHERE changed_table = 'devices' AND device_id = $1 ORDER BY seq`;
  return (await runSql<{ state: string }>(db, select, [deviceId])).map(({ state }) => state);
}

/** A device, and two processes to which it may connect. */
async function environment(t: TestContext) {
  const database = await openTestDatabase();
  const other = { ...(await secondDatabase(database)), kind: "postgres" as const };
  const clock = new FakeClock();
  const [first, second] = [testFeatures({ database, clock }), testFeatures({ database: other, clock })];
  const tenant = await first.access.createTenant({ slug: "acme", name: "Acme" });
  const caller = await first.access.systemCaller("acme");
  const { id } = await first.devices.createDevice(caller, { name: "Pump" });
  const [{ uid }] = (await runSql<{ uid: string }>(database.db, "SELECT uid FROM devices WHERE id = $1", [id])) as [
    { uid: string },
  ];
  const nodes = [await first.connections.startNode(), await second.connections.startNode()];
  t.after(async () => {
    await first.connections.stopNode();
    await second.connections.stopNode();
    await other.close();
    await database.close();
    await database.remove();
  });
  const processes: [Connections, Connections] = [first.connections, second.connections];
  async function open(at: Connections = processes[0]): Promise<string> {
    const sessionId = randomUUID();
    const ids = { deviceUid: uid, certificateId: null, mqttClientId: null };
    await at.openSession({ sessionId, clientId: id, tenantId: tenant.id, ...ids, remoteAddress: "192.0.2.1" });
    return sessionId;
  }
  return {
    database,
    clock,
    nodes,
    processes,
    open,
    async visit(at: Connections = processes[0]): Promise<void> {
      at.closeSession(await open(at), "disconnected");
      await at.flush();
    },
    events: () => eventsOf(database.db, id),
    state: async () => (await first.devices.getDevice(caller, id)).connectivity.status,
  };
}

test("a device that connects, publishes and leaves immediately has both events", async (t) => {
  const broker = await brokerFor(t, createEngine);
  const device = await broker.enroll();
  const client = await rawClient(broker, device);
  client.send(connectPacket({ clientId: device.deviceId }), publishPacket(device.topic, '{"a":1}', 1, 1), DISCONNECT);
  await client.ended;
  await broker.telemetry.drain();
  await broker.connections.flush();
  assert.deepEqual(await eventsOf(broker.database.db, device.deviceId), ["online", "offline"]);
});

test("a device that flaps has one pair of events in ten seconds, and finally its last state", async (t) => {
  const { clock, processes, open, visit, events, state } = await environment(t);
  const [{ flush, recordOwedPresence }] = processes;
  for (let n = 0; n < 20; n++) {
    await visit();
    clock.advance(100);
  }
  assert.deepEqual(await events(), ["online", "offline"]);
  await open();
  await flush();
  clock.advance(7_900);
  await recordOwedPresence();
  assert.deepEqual([await state(), await events()], ["online", ["online", "offline"]], "its event waits");
  clock.advance(100);
  await recordOwedPresence();
  await recordOwedPresence();
  assert.deepEqual(await events(), ["online", "offline", "online"]);
});

test("a device that flaps over two processes is damped alike, and either process records the pending event", async (t) => {
  const { clock, processes, open, visit, events, state } = await environment(t);
  const [first, second] = processes;
  for (let n = 0; n < 6; n++) await visit(processes[n % 2]);
  await open(second);
  await second.flush();
  assert.deepEqual(await events(), ["online", "offline"]);
  clock.advance(10 * SECOND);
  await Promise.all([first.recordOwedPresence(), second.recordOwedPresence()]);
  assert.deepEqual([await state(), await events()], ["online", ["online", "offline", "online"]]);
});

test("the state and the last event agree after the process of an open session has crashed", async (t) => {
  const { database, clock, nodes, processes, open, visit, events, state } = await environment(t);
  const [first, second] = processes;
  await visit();
  await open();
  await first.flush();
  assert.deepEqual([await state(), await events()], ["online", ["online", "offline"]]);
  await runSql(database.db, "UPDATE broker_nodes SET beat_at = to_timestamp(0) WHERE id = $1", [nodes[0]]);
  await second.beatNow();
  clock.advance(10 * SECOND);
  await second.recordOwedPresence();
  assert.deepEqual([await state(), await events()], ["offline", ["online", "offline"]]);
});

test("a clock that is set back does not delay an event", async (t) => {
  const { clock, processes, open, visit, events } = await environment(t);
  await visit();
  clock.step(-7_200 * SECOND);
  await open();
  await processes[0].flush();
  assert.deepEqual(await events(), ["online", "offline", "online"]);
});

test("whatever a device does, connect events are ten seconds apart, and the last event is its state", async (t) => {
  const { clock, processes, open, events, state } = await environment(t);
  let state32 = 20261122;
  const random = (below: number) => {
    state32 = (Math.imul(state32, 1103515245) + 12345) >>> 0;
    return (state32 >>> 8) % below;
  };
  const sessions: { at: Connections; id: string }[] = [];
  let lastOnline = Number.NEGATIVE_INFINITY;
  let known = 0;
  for (let step = 0; step < 150; step++) {
    const at = processes[random(2)]!;
    if (random(2) === 0) sessions.push({ at, id: await open(at) });
    const ended = random(3) === 0 ? undefined : sessions.splice(random(sessions.length), 1)[0];
    ended?.at.closeSession(ended.id, "disconnected");
    await Promise.all(processes.map(({ flush }) => flush()));
    if (random(2) === 0) await at.recordOwedPresence();
    const all = await events();
    for (const event of all.slice(known).filter((each) => each === "online")) {
      assert.ok(clock.monotonicMs() - lastOnline >= 10 * SECOND, event);
      lastOnline = clock.monotonicMs();
    }
    known = all.length;
    clock.advance(random(4_000));
  }
  clock.advance(10 * SECOND);
  await processes[0].recordOwedPresence();
  const all = await events();
  assert.equal(all.at(-1), await state());
  assert.deepEqual(
    all,
    all.map((_, n) => (n % 2 === 0 ? "online" : "offline")),
  );
});
