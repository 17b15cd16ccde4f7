import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";

/** A partition of messages, chunks or roll-ups. */
export interface Leaf {
  name: string;
  /** Whether the rows, of messages or chunks, refer to a shape instead of a device. */
  hasShapes: boolean;
}

/** A roll-up of a device, in primary key order. The time is in PostgreSQL's text format, to the microsecond. */
export interface RowPlace {
  metric: string;
  time: string;
}

/** The position before every row. */
export const FIRST_ROW: RowPlace = { metric: "", time: "-infinity" };

/** Lists all partitions of messages, chunks and hours. */
export async function listLeaves(db: Db): Promise<Leaf[]> {
  const { rows } = await sql<Leaf>`
    SELECT d.relname AS name, i.inhparent IN ('telemetry_messages'::regclass, 'telemetry_chunks'::regclass) AS "hasShapes"
      FROM pg_inherits i JOIN pg_inherits j ON j.inhparent = i.inhrelid JOIN pg_class d ON d.oid = j.inhrelid
     WHERE i.inhparent IN ('telemetry_messages'::regclass, 'telemetry_chunks'::regclass, 'telemetry_hour'::regclass)
     ORDER BY d.relname`.execute(db);
  return rows;
}

/** Returns the devices among `uids` that have a row in the partition. */
export async function devicesIn(db: Db, { name }: Leaf, uids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ uid: string }>`
    SELECT u.uid FROM unnest(${plainArray(uids)}::text::uuid[]) AS u (uid)
     WHERE EXISTS (SELECT FROM ${sql.table(name)} t WHERE t.device_uid = u.uid)`.execute(db);
  return rows.map(({ uid }) => uid);
}

/** Deletes up to `limit` rows of a device after `from`. */
export async function deleteRows(
  db: Db,
  { name }: Leaf,
  deviceUid: string,
  from: RowPlace,
  limit: number,
): Promise<Pruned<RowPlace>> {
  const { rows } = await sql<RowPlace & { rows: number }>`
    WITH gone AS (
      DELETE FROM ${sql.table(name)} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${sql.table(name)}
         WHERE device_uid = ${deviceUid} AND (metric, bucket) > (${from.metric}, ${from.time}::timestamptz)
         ORDER BY metric, bucket LIMIT ${limit}))
      RETURNING metric, bucket AS time)
    SELECT metric, time::text AS time, (count(*) OVER ())::int AS rows
      FROM gone ORDER BY gone.metric DESC, gone.time DESC LIMIT 1`.execute(db);
  const last = rows[0];
  return { rows: last?.rows ?? 0, last: last ? { metric: last.metric, time: last.time } : null };
}

/** Checks for the SQLSTATE of a missing table: the partition was dropped with all its rows. */
export function isDropped(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "42P01";
}
