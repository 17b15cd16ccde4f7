import { type Db, runRaw, type Tx } from "../db/database.ts";

/**
 * Beats are written and compared by the database's own clock: no process is declared dead because another one's clock
 * differs, or because somebody set one.
 */
const DEAD_AFTER = "interval '10 seconds'";

export async function insertNode(db: Db, nodeId: string): Promise<void> {
  await runRaw(
    db,
    `INSERT INTO broker_nodes (id, started_at, beat_at) VALUES ($1, clock_timestamp(), clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`,
    [nodeId],
  );
}

/** @returns false when the others have declared this node dead */
export async function beat(db: Db, nodeId: string): Promise<boolean> {
  const rows = await runRaw(db, "UPDATE broker_nodes SET beat_at = clock_timestamp() WHERE id = $1 RETURNING id", [
    nodeId,
  ]);
  return rows.length === 1;
}

/**
 * Removes nodes that stopped beating (`all`: every other node, where there can be no other process), their sessions,
 * and the presence those sessions gave their devices. `now` goes into the devices' records.
 *
 * @returns how many nodes
 */
export async function reapNodes(db: Db, nodeId: string, all: boolean, now: Date): Promise<number> {
  const stale = all ? "true" : `n.beat_at < clock_timestamp() - ${DEAD_AFTER}`;
  const rows = await runRaw(
    db,
    `WITH dead AS (
       SELECT n.id FROM broker_nodes n WHERE n.id <> $1 AND ${stale} FOR UPDATE SKIP LOCKED
     ), gone AS (
       DELETE FROM mqtt_sessions s USING dead WHERE s.node_id = dead.id RETURNING s.device_uid, s.seq
     ), locked AS (
       SELECT d.uid, gone.seq FROM devices d JOIN gone ON gone.device_uid = d.uid ORDER BY d.uid FOR NO KEY UPDATE OF d
     ), offline AS (
       UPDATE devices d SET connectivity = 'offline', connectivity_since = $2, connectivity_reason = 'node_lost',
              connectivity_seq = locked.seq
         FROM locked WHERE d.uid = locked.uid AND d.connectivity_seq <= locked.seq
     )
     DELETE FROM broker_nodes n USING dead WHERE n.id = dead.id RETURNING n.id`,
    [nodeId, now],
  );
  return rows.length;
}

/** Removes all nodes with their sessions, of a database that no process serves. */
export async function deleteAllNodes(tx: Tx): Promise<void> {
  await tx.deleteFrom("broker_nodes").execute();
}

export async function deleteNode(db: Db, nodeId: string): Promise<void> {
  await runRaw(db, "DELETE FROM broker_nodes WHERE id = $1", [nodeId]);
}
