import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { revokeIssued } from "../../../src/certificates/certificates.ts";
import { enqueueDrops } from "../../../src/connections/connections.ts";
import type { Database } from "../../../src/db/database.ts";
import { SCHEMA_NUMBER } from "../../../src/db/migrate.ts";
import { randomIds } from "../../../src/lib/ids.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { csrOf, peerOf } from "../../harness/enrollment.ts";
import { eventually } from "../../harness/eventually.ts";
import { nodes } from "./broker-nodes.ts";

const REVOKED = "certificate revoked";

test("a revocation concerns the nodes that have sessions of the certificate, and does not wait for others", async (t) => {
  const { all, database, device, revoke, dropsOf } = await nodes(t, 3);
  const { certificateId, session } = await device();
  await all[1]!.connections.openSession(session());
  await addNodes(database, 50);
  await revoke(certificateId);
  assert.deepEqual(dropsOf(), [[], [REVOKED], []]);
  assert.equal(await countDrops(database), 1);
  await revoke(await device().then((each) => each.certificateId));
  assert.equal(await countDrops(database), 1, "none for a device that is not connected");
});

test("the statements and rows of a revocation are the same with 3 nodes and with 500", async (t) => {
  const { all, database, device, revoke } = await nodes(t, 3);
  const costs: number[] = [];
  for (const more of [0, 497]) {
    await addNodes(database, more);
    const { certificateId, session } = await device();
    await all[1]!.connections.openSession(session());
    const before = await countDrops(database);
    await revoke(certificateId);
    costs.push((await countDrops(database)) - before);
  }
  assert.deepEqual(costs, [1, 1]);
});

test("a node that has not closed a taken-over session receives the drop, too", async (t) => {
  const { all, database, device, dropsOf, clock } = await nodes(t, 3);
  const { session, certificateId, deviceUid } = await device();
  const silent = randomUUID();
  await addNodes(database, 1, silent);
  await all[0]!.connections.openSession(session());
  await sql`UPDATE mqtt_sessions SET node_id = ${silent}`.execute(database.db);
  await all[1]!.connections.openSession(session());
  for (const target of [{ certificateIds: [certificateId] }, { deviceUid }]) {
    const seqs = await enqueueDrops(database.db, { ...target, reason: REVOKED, staysValid: true }, clock.now());
    const { rows } = await sql<{ node_id: string }>`
      SELECT node_id FROM session_drops WHERE seq = ANY (${[...seqs]}::bigint[])`.execute(database.db);
    assert.deepEqual(new Set(rows.map((row) => row.node_id)), new Set([silent, all[1]!.nodeId]));
  }
  await sql`INSERT INTO session_drop_acks SELECT seq, node_id FROM session_drops WHERE reason = 'takeover'`.execute(
    database.db,
  );
  const seqs = await enqueueDrops(database.db, { deviceUid, reason: REVOKED, staysValid: true }, clock.now());
  assert.equal(seqs.length, 1);
  dropsOf();
});

test("a certificate that was revoked after its authorization opens no session", async (t) => {
  const { all, database, device, revoke, caller, connections } = await nodes(t, 2);
  const { certificateId, session } = await device();
  await revoke(certificateId);
  assert.equal((await all[1]!.connections.openSession(session())).ended, REVOKED);
  await connections.createMqttClient(caller, { clientId: "gw", username: "gw" });
  const { rows } = await sql<{ id: string }>`SELECT id FROM mqtt_clients`.execute(database.db);
  await connections.disableMqttClient(caller, "gw");
  const ofClient = { deviceUid: null, certificateId: null, mqttClientId: rows[0]!.id, clientId: "gw" };
  assert.equal((await all[1]!.connections.openSession({ ...session(), ...ofClient })).ended, "client_disabled");
  assert.deepEqual((await sql`SELECT FROM mqtt_sessions`.execute(database.db)).rows, []);
});

test("a node that was reaped by mistake does not restore a session whose certificate was revoked in the meantime", async (t) => {
  const { all, device, revoke, dropsOf } = await nodes(t, 2, { heartbeatMs: 3_600_000 });
  const { certificateId, session } = await device();
  await all[1]!.connections.openSession(session());
  await all[0]!.connections.reapNode(all[1]!.nodeId);
  await revoke(certificateId);
  await all[1]!.connections.beatNow();
  assert.deepEqual(dropsOf(), [[], [REVOKED]]);
});

test("a node that was reaped by mistake does not restore a session whose device was deleted after a renewal", async (t) => {
  const { all, database, device, caller, enrollment, dropsOf } = await nodes(t, 2, { heartbeatMs: 3_600_000 });
  const { clientId, session, cert } = await device();
  await all[1]!.connections.openSession(session());
  await enrollment.renewCertificate({ address: "127.0.0.1", peer: peerOf(cert) }, { csr: csrOf() });
  await all[0]!.connections.reapNode(all[1]!.nodeId);
  await enrollment.deleteDevice(caller, clientId);
  await all[1]!.connections.beatNow();
  assert.deepEqual(dropsOf(), [[], [REVOKED]]);
  assert.deepEqual((await sql`SELECT FROM mqtt_sessions`.execute(database.db)).rows, []);
});

// The embedded database has one connection, so there are no two concurrent transactions.
const withSeveralConnections = onPostgres ? test : () => undefined;

withSeveralConnections(
  "a session that opens while its certificate is revoked is refused, or closed by the drop",
  async (t: TestContext) => {
    const { all, database, clock, device, enrollment, caller, dropsOf } = await nodes(t, 2);
    const node = all[1]!;
    const first = await device();
    // The revocation waits for a statement that has locked the certificate and waits for the row of the client id.
    await node.connections.openSession(first.session());
    const { release, done } = await lockSessions(database);
    const opening = node.connections.openSession(first.session());
    await waitingForLocks(database, 1);
    const revocation = enrollment.revokeDeviceCertificates(caller, first.clientId);
    await waitingForLocks(database, 2);
    release();
    await Promise.all([done, revocation]);
    assert.equal((await opening).ended, undefined);
    assert.deepEqual(dropsOf()[1], [REVOKED]);
    // A statement that arrives while the revocation is not committed waits, and then sees it.
    const second = await device();
    let late: ReturnType<typeof node.connections.openSession> | undefined;
    await database.db.transaction().execute(async (tx) => {
      await revokeIssued(tx, caller, second.certificateId, { ids: randomIds, now: clock.now() });
      const drop = { certificateIds: [second.certificateId], reason: REVOKED };
      assert.deepEqual(await enqueueDrops(tx, drop, clock.now()), []);
      late = node.connections.openSession(second.session());
      await waitingForLocks(database, 1);
    });
    assert.equal((await late!).ended, REVOKED);
  },
);

withSeveralConnections(
  "of 60 sessions that open at any moment of a revocation each is refused or dropped",
  async (t: TestContext) => {
    const { all, device, revoke, dropsOf } = await nodes(t, 2);
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      const { certificateId, session } = await device();
      const revoking = revoke(certificateId);
      for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      const { ended } = await all[1]!.connections.openSession(session());
      await revoking;
      const dropped = dropsOf()[1]!.length;
      assert.equal(dropped === 1, ended === undefined, `round ${round}: ${dropped} drops, ${ended}`);
      if (ended !== undefined) refused++;
    }
    t.diagnostic(`${refused} of 60 were refused, the others dropped`);
  },
);

withSeveralConnections(
  "of 60 sessions of an MQTT client that open at any moment of its owner's demotion each is refused or dropped",
  async (t: TestContext) => {
    const { all, access, caller, connections, database, dropsOf } = await nodes(t, 2);
    const { id: userId } = await access.createUser(caller, { email: "owner@acme.example", role: "admin" });
    await access.createUser(caller, { email: "other@acme.example", role: "admin" });
    const owner = { ...caller, rights: { kind: "user", userId, role: "admin" } } as const;
    await connections.createMqttClient(owner, { clientId: "gw", username: "gw" });
    const { rows } = await sql<{ id: string }>`SELECT id FROM mqtt_clients`.execute(database.db);
    const client = { tenantId: caller.tenantId, clientId: "gw", mqttClientId: rows[0]!.id, remoteAddress: "127.0.0.1" };
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      const sessionId = randomUUID();
      const demoting = access.changeUser(caller, userId, { role: "operator" });
      for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      const session = { ...client, sessionId, deviceUid: null, certificateId: null };
      const { ended } = await all[1]!.connections.openSession(session);
      await demoting;
      const { rows: drops } = await sql<{ node_id: string }>`
        DELETE FROM session_drops WHERE mqtt_client_id = ${client.mqttClientId} RETURNING node_id`.execute(database.db);
      const concerned = drops.map((drop) => drop.node_id);
      assert.deepEqual(concerned, ended === undefined ? [all[1]!.nodeId] : [], `round ${round}: ${ended}`);
      if (ended !== undefined) refused++;
      all[1]!.connections.closeSession(sessionId, "disconnected");
      await all[1]!.connections.flush();
      await access.changeUser(caller, userId, { role: "admin" });
    }
    t.diagnostic(`${refused} of 60 were refused, the others dropped`);
    dropsOf();
  },
);

/** Adds records of nodes that send heartbeats and acknowledge nothing. */
async function addNodes(database: Database, count: number, id?: string): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO broker_nodes (id, started_at, beat_at, lease_seconds, schema_number, part)
      SELECT coalesce(${id ?? null}::uuid, gen_random_uuid()), now(), now() + interval '1 hour', 10, ${SCHEMA_NUMBER}, 'serve'
        FROM generate_series(1, ${count})
      RETURNING id
    ) INSERT INTO complete_nodes SELECT id FROM added`.execute(database.db);
}

async function countDrops(database: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM session_drops`.execute(database.db);
  return rows[0]!.n;
}

/** Locks every session until it is released. */
async function lockSessions(database: Database): Promise<{ release(): void; done: Promise<void> }> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>();
  const done = database.db.transaction().execute(async (tx) => {
    await sql`SELECT FROM mqtt_sessions FOR UPDATE`.execute(tx);
    hasLocked();
    await released;
  });
  await locked;
  return { release, done };
}

/** Resolves when this many statements of this database wait for a lock. */
async function waitingForLocks(database: Database, count: number): Promise<void> {
  const waits = async () => {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(database.connects);
    return rows[0]!.n >= count;
  };
  assert.ok(await eventually(waits), `${count} statements wait for a lock`);
}
