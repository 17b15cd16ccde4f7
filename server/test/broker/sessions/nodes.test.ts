import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { type DropNumbers, enqueueDrops } from "../../../src/connections/connections.ts";
import type { Database } from "../../../src/db/database.ts";
import { ROWS_OF_STATEMENT } from "../../../src/lib/batching/batches-of.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { testFeatures } from "../../harness/features.ts";
import { type Process, processes } from "../../harness/processes/broker-processes.ts";

test("a client id that connects at another node ends its session at the first, and only that session", async (t) => {
  const { all, newDevice, session } = await processes(t, 2);
  const [a, b] = all as [Process, Process];
  const device = await newDevice();
  const [old, fresh] = [session(device), session(device)];
  const first = { previous: undefined, hasCommands: false, hasStored: false, hasWill: false, awaitReplaced: undefined };
  assert.deepEqual(await a.connections.openSession(old), first);
  const { previous, awaitReplaced } = await b.connections.openSession(fresh);
  assert.deepEqual(previous, { sessionId: old.sessionId, here: false });
  assert.equal(await awaitReplaced!(() => undefined), true);
  assert.deepEqual(a.drops, [{ sessionId: old.sessionId, reason: "takeover" }]);
  a.connections.closeSession(old.sessionId, "takeover");
  await a.connections.flush();
  await b.connections.flush();
  assert.equal((await device.connectivity()).status, "online", "the late end of the first session changes nothing");
  b.connections.closeSession(fresh.sessionId, "disconnected");
  await b.connections.flush();
  assert.equal((await device.connectivity()).status, "offline");
});

test("of simultaneous connects at several nodes, each but the last is reported as predecessor exactly once", async (t) => {
  const { all, database, newDevice, session } = await processes(t, 3);
  for (let round = 0; round < 10; round++) {
    const device = await newDevice();
    const wanted = Array.from({ length: 50 }, () => session(device));
    const opened = await Promise.all(wanted.map((each, n) => all[n % 3]!.connections.openSession(each)));
    const replaced = opened.flatMap(({ previous }) => (previous ? [previous.sessionId] : []));
    assert.equal(new Set(replaced).size, replaced.length, "none twice");
    const left = wanted.filter(({ sessionId }) => !replaced.includes(sessionId));
    assert.equal(left.length, 1);
    const row = await database.db
      .selectFrom("mqtt_sessions")
      .select("session_id")
      .where("client_id", "=", device.id)
      .executeTakeFirstOrThrow();
    assert.equal(row.session_id, left[0]!.sessionId);
  }
});

test("drops are delivered to the nodes that have the sessions, and awaited until each has acknowledged its own", async (t) => {
  const { all, clock, newDevice, session } = await processes(t, 3);
  const [a, b, c] = all as [Process, Process, Process];
  const devices = [await newDevice(), await newDevice()] as const;
  for (const [n, { connections }] of [b, c].entries()) await connections.openSession(session(devices[n]!));
  const drops = devices.map(({ uid }) => ({ deviceUid: uid, reason: "device deleted" }));
  const seqs = await a.database.db.transaction().execute(async (tx) => {
    const numbers: string[] = [];
    for (const drop of drops) numbers.push(...(await enqueueDrops(tx, drop, clock.now())));
    return numbers;
  });
  assert.equal(await a.connections.awaitDrops(seqs, 60_000), true);
  assert.deepEqual(
    all.map((each) => each.drops),
    [[], [drops[0]], [drops[1]]],
  );
});

test("a drop whose transaction is rolled back is not delivered", async (t) => {
  const { all, clock, newDevice, session } = await processes(t, 1);
  const [a] = all as [Process];
  const device = await newDevice();
  await a.connections.openSession(session(device));
  const failed = a.database.db.transaction().execute(async (tx) => {
    await enqueueDrops(tx, { deviceUid: device.uid, reason: "never" }, clock.now());
    throw new Error("changed my mind");
  });
  await assert.rejects(failed, /changed my mind/);
  await a.connections.beatNow();
  assert.deepEqual(a.drops, []);
});

// The embedded database has one connection, so there are no two concurrent transactions.
const withSeveralConnections = onPostgres ? test : () => undefined;
withSeveralConnections(
  "a drop is delivered even if it is numbered before others and committed after them",
  async (t: TestContext) => {
    const { all, clock, database, newDevice, session } = await processes(t, 1);
    const [a] = all as [Process];
    const [slow, quick] = [await newDevice(), await newDevice()];
    for (const device of [slow, quick]) await a.connections.openSession(session(device));
    let seqs: DropNumbers = [];
    let commit = () => {};
    let numbered = () => {};
    const isNumbered = new Promise<void>((resolve) => {
      numbered = resolve;
    });
    const late = database.db.transaction().execute(async (tx) => {
      seqs = await enqueueDrops(tx, { deviceUid: slow.uid, reason: "slow" }, clock.now());
      numbered();
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await isNumbered;
    const next = await enqueueDrops(database.db, { deviceUid: quick.uid, reason: "quick" }, clock.now());
    assert.equal(await a.connections.awaitDrops(next, 60_000), true);
    commit();
    await late;
    assert.equal(await a.connections.awaitDrops(seqs, 60_000), true);
    assert.deepEqual(
      a.drops.map(({ reason }) => reason),
      ["quick", "slow"],
    );
  },
);

/** Only `beatNow` sends heartbeats: an automatic one would revive a node that the test has silenced. */
const NO_HEARTBEATS = { heartbeatMs: 3_600_000 };

test("a node without heartbeats is removed with its sessions, and its devices are offline", async (t) => {
  const { all, database, newDevice, session } = await processes(t, 2, NO_HEARTBEATS);
  const [a, b] = all as [Process, Process];
  const device = await newDevice();
  await a.connections.openSession(session(device));
  await a.connections.flush();
  await silence(database, a.nodeId);
  await b.connections.beatNow();
  const { status, reason } = await device.connectivity();
  assert.deepEqual([status, reason], ["offline", "node_lost"]);
  assert.deepEqual(await database.db.selectFrom("mqtt_sessions").selectAll().execute(), []);
});

test("a silent node is removed even if it has more sessions than one statement may delete", async (t) => {
  const { all, database } = await processes(t, 2, NO_HEARTBEATS);
  const [a, b] = all as [Process, Process];
  const count = 2 * ROWS_OF_STATEMENT + 1;
  await sql`
    INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, mqtt_client_id, remote_address, connected_at)
    SELECT 'client-' || n, gen_random_uuid(), n, ${a.nodeId}, gen_random_uuid(), gen_random_uuid(), '127.0.0.1', now()
      FROM generate_series(1, ${count}) n`.execute(database.db);
  await silence(database, a.nodeId);
  await b.connections.beatNow();
  assert.deepEqual(await database.db.selectFrom("mqtt_sessions").select("client_id").execute(), []);
  const nodes = await database.db.selectFrom("broker_nodes").select("id").execute();
  assert.deepEqual(nodes, [{ id: b.nodeId }]);
});

test("the longest-running node runs the jobs of all nodes; when it falls silent, the next one takes over", async (t) => {
  const { all, database } = await processes(t, 3, NO_HEARTBEATS);
  const leaders = () => all.map(({ connections }) => connections.isLeader());
  const [a, b, c] = all as [Process, Process, Process];
  assert.deepEqual(leaders(), [true, false, false]);
  await silence(database, a.nodeId);
  await c.connections.beatNow();
  await b.connections.beatNow();
  assert.deepEqual(leaders().slice(1), [true, false]);
  await a.connections.beatNow();
  await b.connections.beatNow();
  assert.deepEqual(
    [a, b].map(({ connections }) => connections.isLeader()),
    [false, true],
    "one that was reaped is the newest when it is back",
  );
});

test("a takeover concerns the one node that has the session, and waits for it while it sends heartbeats", async (t) => {
  const { all, newDevice, session } = await processes(t, 3, NO_HEARTBEATS);
  const [a, b, c] = all as [Process, Process, Process];
  const device = await newDevice();
  const [first, second] = [session(device), session(device)];
  await a.connections.openSession(first);
  const { awaitReplaced } = await b.connections.openSession(second);
  assert.equal(await awaitReplaced!(() => undefined), true);
  assert.deepEqual([a.drops.length, b.drops.length, c.drops.length], [1, 0, 0]);
});

/** A node of another process. */
async function anotherNode({ db }: Database): Promise<string> {
  const id = randomUUID();
  await sql`
    WITH added AS (
      INSERT INTO broker_nodes
      SELECT (json_populate_record(n, ${JSON.stringify({ id })}::json)).* FROM broker_nodes n LIMIT 1
      RETURNING id
    ) INSERT INTO complete_nodes SELECT id FROM added`.execute(db);
  return id;
}

test("a node without a heartbeat is notified of the drop of a session that was taken over, and is not awaited", async (t) => {
  const { all, database, newDevice, session } = await processes(t, 1, NO_HEARTBEATS);
  const [{ connections }] = all as [Process];
  const device = await newDevice();
  const first = session(device);
  await connections.openSession(first);
  const silent = await anotherNode(database);
  await sql`UPDATE mqtt_sessions SET node_id = ${silent}`.execute(database.db);
  await silence(database, silent);
  const { previous, awaitReplaced } = await connections.openSession(session(device));
  assert.deepEqual(previous, { sessionId: first.sessionId, here: false });
  const notified: string[] = [];
  assert.equal(await awaitReplaced!((sessionId) => notified.push(sessionId)), true);
  assert.deepEqual(notified, [first.sessionId]);
  const drop = await database.db
    .selectFrom("session_drops")
    .select(["node_id", "session_id"])
    .executeTakeFirstOrThrow();
  assert.deepEqual(drop, { node_id: silent, session_id: first.sessionId });
});

for (const [where, index] of [
  ["another", 1],
  ["the same", 0],
] as const) {
  const what = `a client that connects again at ${where} node waits for the session before its last one, too`;
  test(what, async (t: TestContext) => {
    const { all, database, newDevice, session } = await processes(t, 2, NO_HEARTBEATS);
    const device = await newDevice();
    const first = session(device);
    await all[0]!.connections.openSession(first);
    const silent = await anotherNode(database);
    await sql`UPDATE mqtt_sessions SET node_id = ${silent}`.execute(database.db);
    const second = await all[0]!.connections.openSession(session(device));
    void second.awaitReplaced!(() => undefined);
    const third = await all[index]!.connections.openSession(session(device));
    const notified = Promise.withResolvers<string>();
    const closed = third.awaitReplaced!(notified.resolve);
    assert.equal(await Promise.race([notified.promise, closed]), first.sessionId);
    await sql`INSERT INTO session_drop_acks SELECT seq, node_id FROM session_drops WHERE node_id = ${silent}`.execute(
      database.db,
    );
    assert.equal(await closed, true);
  });
}

// On PostgreSQL a process without heartbeats may be slow; the embedded database has only one process.
const withOneProcess = onPostgres ? () => undefined : test;
withOneProcess("a start after a crash deletes the sessions of the crashed process", async (t: TestContext) => {
  const { clock, database, newDevice, session, all } = await processes(t, 1);
  const device = await newDevice();
  await all[0]!.connections.openSession(session(device));
  await all[0]!.connections.flush();
  const restarted = testFeatures({ database, clock }).connections;
  await restarted.startNode();
  assert.deepEqual(await database.db.selectFrom("mqtt_sessions").selectAll().execute(), []);
  assert.equal((await device.connectivity()).reason, "node_lost");
  await restarted.stopNode();
});

test("a node that was removed by mistake restores its sessions, except those that were taken over", async (t) => {
  const { all, database, newDevice, session } = await processes(t, 2, NO_HEARTBEATS);
  const [a, b] = all as [Process, Process];
  const kept = await newDevice();
  const moved = [await newDevice(), await newDevice()];
  const stays = session(kept);
  const gone = moved.map(session);
  for (const each of [stays, ...gone]) await a.connections.openSession(each);
  await a.connections.flush();
  await silence(database, a.nodeId);
  await b.connections.beatNow();
  const taken = moved.map(session);
  for (const each of taken) await b.connections.openSession(each);
  await a.connections.beatNow();
  await a.connections.flush();
  await b.connections.flush();
  assert.deepEqual(new Set(a.drops), new Set(gone.map(({ sessionId }) => ({ sessionId, reason: "takeover" }))));
  const { rows: statements } = await sql`
    SELECT DISTINCT xmin::text FROM session_drops WHERE session_id = ANY (${gone.map((each) => each.sessionId)}::uuid[])`.execute(
    database.db,
  );
  assert.equal(statements.length, 1, "one statement for all that were taken over");
  const rows = await database.db.selectFrom("mqtt_sessions").select("session_id").execute();
  const left = [stays, ...taken].map(({ sessionId }) => sessionId);
  assert.deepEqual(new Set(rows.map((row) => row.session_id)), new Set(left));
  for (const device of [kept, ...moved]) assert.equal((await device.connectivity()).status, "online");
});

test("an MQTT client is registered only with an unused client id and user name, and topics of its tenant", async (t) => {
  const { all } = await processes(t, 1);
  const [{ connections, access }] = all as [Process];
  await access.createTenant({ slug: "other", name: "Other" });
  const [acme, other] = [await access.systemCaller("acme"), await access.systemCaller("other")];
  await connections.createMqttClient(acme, { clientId: "gw", username: "gw" });
  await assert.rejects(connections.createMqttClient(other, { clientId: "gw", username: "gw2" }), {
    code: "client_id_in_use",
  });
  await assert.rejects(connections.createMqttClient(acme, { clientId: "gw2", username: "gw" }), {
    code: "username_taken",
  });
  for (const publish of ["t/other/x", "t/acme", "t/acme/", "t/acme/+", "t/acme/a//b", "x", "t/acme/$SYS"]) {
    const wanted = { clientId: "gw3", username: "gw3", publish: [publish] };
    await assert.rejects(connections.createMqttClient(acme, wanted), { code: "invalid_request" }, publish);
  }
  for (const subscribe of ["#", "t/+/x", "t/other/#", "t/acme/#/x", "t/acme/a+", "$share/g/t/acme/x"]) {
    const wanted = { clientId: "gw3", username: "gw3", subscribe: [subscribe] };
    await assert.rejects(connections.createMqttClient(acme, wanted), { code: "invalid_request" }, subscribe);
  }
  await connections.createMqttClient(acme, { clientId: "gw3", username: "gw3", subscribe: ["t/acme/+/x/#"] });
});

test("the refusal journal keeps the last thousand refusals of a tenant, for at most 30 days", async (t) => {
  const { all, clock } = await processes(t, 1);
  const [{ connections, access }] = all as [Process];
  const caller = await access.systemCaller("acme");
  const { tenantId } = caller;
  for (let batch = 0; batch < 3; batch++) {
    for (let n = 0; n < 400; n++) {
      const from = { clientId: "a\0\ud800", remoteAddress: `10.0.${n >> 8}.${n & 255}` };
      connections.recordRefusal({ reason: "unknown", tenantId, ...from, topic: `n${batch * 400 + n}` });
    }
    clock.advance(60_000);
    await connections.listRefusals(caller, { skip: 0, limit: 1 });
  }
  await connections.prune();
  const { total, items } = await connections.listRefusals(caller, { skip: 0, limit: 1 });
  assert.equal(total, 1000);
  assert.match(items[0]!.topic!, /^n(8|9|1\d)\d\d/);
  clock.advance(31 * 86_400_000);
  await connections.prune();
  assert.equal((await connections.listRefusals(caller, { skip: 0, limit: 1 })).total, 0);
});

/** Backdates the last heartbeat of a node. */
async function silence(database: Database, nodeId: string): Promise<void> {
  await database.db
    .updateTable("broker_nodes")
    .set({ beat_at: new Date(0) })
    .where("id", "=", nodeId)
    .execute();
}
