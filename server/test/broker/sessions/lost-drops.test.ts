/**
 * Drops of sessions that a node might miss: a crash of PostgreSQL has undone them, or they were committed long after
 * later ones.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import type { Database } from "../../../src/db/database.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { eventually } from "../../harness/eventually.ts";
import type { Process } from "../../harness/processes/broker-processes.ts";
import { nodes } from "./broker-nodes.ts";

const REVOKED = "certificate revoked";

/** A node whose heartbeat notices the crash adds its own drops to the outbox. */
const NO_HEARTBEATS = { heartbeatMs: 3_600_000 };

/** Simulates a crash that has undone the drops. */
async function crash(database: Database): Promise<void> {
  await sql`DELETE FROM session_drops`.execute(database.db);
  await sql`TRUNCATE complete_nodes, completing_nodes`.execute(database.db);
}

const numbers = async ({ db }: Database) =>
  (await sql<{ seq: string }>`SELECT seq FROM session_drops`.execute(db)).rows.map(({ seq }) => Number(seq));

/** Makes a node close sessions of a drop from when `isClosing` resolves until it is released. */
function slowly({ connections }: Process) {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const { promise: isClosing, resolve: begin } = Promise.withResolvers<void>();
  connections.onDrop(async () => {
    begin();
    await closed;
  });
  return { isClosing, close };
}

test("a node that closes sessions while their drop is undone does not acknowledge another drop with the same number", async (t) => {
  const { all, database, device, revoke, dropsOf } = await nodes(t, 2, NO_HEARTBEATS);
  const [one, two] = all as [Process, Process];
  const [moves, stays] = [await device(), await device()];
  for (const { session } of [moves, stays]) await two.connections.openSession(session());
  const { isClosing, close } = slowly(two);
  await one.connections.openSession(moves.session());
  await isClosing;
  const [number] = await numbers(database);
  await crash(database);
  await one.connections.beatNow();
  await sql`DELETE FROM session_drops`.execute(database.db);
  await sql`ALTER TABLE session_drops ALTER COLUMN seq RESTART WITH ${sql.lit(number)}`.execute(database.db);
  const revoking = revoke(stays.certificateId);
  assert.ok(await eventually(async () => (await numbers(database)).length > 0));
  assert.deepEqual(await numbers(database), [number]);
  close();
  await revoking;
  assert.deepEqual(dropsOf()[1], ["takeover", REVOKED]);
});

test("a node re-records its sessions if two belong to one client, which was elsewhere in between", async (t) => {
  const { all, database, device, dropsOf } = await nodes(t, 2, NO_HEARTBEATS);
  const [one, two] = all as [Process, Process];
  const [moves, returns] = [await device(), await device()];
  for (const { session } of [moves, returns]) await two.connections.openSession(session());
  const { isClosing, close } = slowly(two);
  await one.connections.openSession(moves.session());
  await isClosing;
  await one.connections.openSession(returns.session());
  const latest = returns.session();
  await two.connections.openSession(latest);
  await sql`DELETE FROM mqtt_sessions`.execute(database.db);
  await crash(database);
  close();
  await two.connections.beatNow();
  const { rows } = await sql<{ client_id: string }>`SELECT client_id, session_id FROM mqtt_sessions`.execute(
    database.db,
  );
  assert.deepEqual(
    rows.find(({ client_id: id }) => id === returns.clientId),
    { client_id: returns.clientId, session_id: latest.sessionId },
  );
  assert.deepEqual(dropsOf()[1], ["takeover", "takeover"]);
});

test("a node whose sessions a second crash undoes while it closes others re-records them once more", async (t) => {
  const { all, database, device } = await nodes(t, 2, NO_HEARTBEATS);
  const [one, two] = all as [Process, Process];
  const [moves, stays] = [await device(), await device()];
  for (const { session } of [moves, stays]) await two.connections.openSession(session());
  await one.connections.openSession(moves.session());
  assert.ok(await eventually(async () => two.drops.length > 0));
  const rows = async () => {
    const { rows } = await sql`SELECT FROM mqtt_sessions WHERE client_id = ${stays.clientId}`.execute(database.db);
    return rows.length;
  };
  const takeBack = async () => {
    await sql`DELETE FROM mqtt_sessions WHERE client_id = ${stays.clientId}`.execute(database.db);
    await crash(database);
  };
  await takeBack();
  const { isClosing, close } = slowly(two);
  const beating = two.connections.beatNow().catch(() => undefined);
  await isClosing;
  assert.equal(await rows(), 1);
  await takeBack();
  close();
  await beating;
  await two.connections.beatNow();
  assert.equal(await rows(), 1);
});

if (onPostgres)
  test("a drop whose transaction is open while thousands of others are delivered is delivered after its commit", async (t) => {
    const { all, database, device, dropsOf } = await nodes(t, 1, NO_HEARTBEATS);
    const [{ connections, nodeId }] = all as [Process];
    const { session, certificateId } = await device();
    await connections.openSession(session());
    const deliverOthers = async (count: number) => {
      const { rows } = await sql<{ seq: string }>`
        INSERT INTO session_drops (at, session_id, reason, node_id)
        SELECT now(), gen_random_uuid(), 'takeover', ${nodeId}::uuid FROM generate_series(1, ${sql.lit(count)})
        RETURNING seq`.execute(database.db);
      assert.ok(
        await connections.awaitDrops(
          rows.map(({ seq }) => seq),
          5_000,
        ),
      );
    };
    const late = await database.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ seq: string }>`
        INSERT INTO session_drops (at, certificate_id, reason, node_id)
        VALUES (now(), ${certificateId}::uuid, ${REVOKED}, ${nodeId}::uuid) RETURNING seq`.execute(tx);
      for (const count of [3_000, 1, 1]) await deliverOthers(count);
      return rows[0]!.seq;
    });
    dropsOf();
    assert.ok(await connections.awaitDrops([late], 5_000));
    assert.deepEqual(dropsOf()[0], [REVOKED]);
  });
