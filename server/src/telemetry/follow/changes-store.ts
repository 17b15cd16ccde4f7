import { type RawBuilder, sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import { plainArray, textArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import type { LatestRow } from "../read/latest-store.ts";
import { parseSnapshot, type Snapshot } from "./snapshot.ts";

export interface ChangedRow extends LatestRow {
  device_id: string;
  device_uid: string;
}

/** The devices whose latest values are followed. */
export interface ChangeScope {
  tenantId: string;
  /** A user limited to the devices of their groups, or `undefined` for the whole tenant. */
  viewer: string | undefined;
  /** The only device ids to include. */
  deviceIds: readonly string[] | undefined;
}

/** The key of the last row of a page. */
export type RowKey = Pick<ChangedRow, "device_uid" | "metric">;

/**
 * Selects up to `limit` latest values that changed since the snapshot `since`, ordered by device and metric, after the
 * key `after`.
 *
 * Each value records the transaction that wrote it. The row's `xmin` is compared first, as it shows whether any value
 * of the row may have changed. `xmin` has 32 bits and wraps around, so `age` counts back from now. If `since` is too
 * old for that, or from another database (a restored backup), all values are returned. Rows must not be written after a
 * savepoint: their `xmin` would be a subtransaction, which no snapshot lists.
 *
 * The query is planned on each call. `CASE` hides the comparisons from the planner, which cannot estimate how many rows
 * have changed.
 *
 * @returns the rows, and the snapshot in which they were read
 */
export async function selectChanged(
  db: Db,
  { tenantId, viewer, deviceIds }: ChangeScope,
  since: Snapshot,
  after: RowKey | undefined,
  limit: number,
): Promise<{ snapshot: Snapshot; rows: ChangedRow[] }> {
  const inProgress = plainArray(since.inProgress.map((xid) => String(BigInt.asUintN(32, BigInt(xid)))));
  const asked = deviceIds === undefined ? sql`true` : sql`d.id = ANY (${textArray(deviceIds)}::text::text[])`;
  const later = after
    ? sql`l.device_uid >= ${after.device_uid}::uuid AND (l.device_uid, l.metric) > (${after.device_uid}::uuid, ${after.metric}::text)`
    : sql`true`;
  // The first page of a pass reads all rows before sorting. Later in a pass most rows have changed, so reading in index
  // order soon fills a page.
  const barrier = after ? sql`` : sql`OFFSET 0`;
  const { rows } = await sql<ChangedRow & { snapshot: string }>`
    SELECT pg_current_snapshot()::text AS snapshot, c.*
      FROM (SELECT 1) one LEFT JOIN (
        SELECT * FROM (
          SELECT d.id AS device_id, l.device_uid, l.metric, l.ts, l.number, l.flag, l.text, l.received_at, l.time_replaced
            FROM shared_latest_values l JOIN shared_devices d ON d.uid = l.device_uid
           WHERE d.tenant_id = ${tenantId} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
             AND ${asked} AND ${later}
             AND CASE WHEN age(l.row_writer) <= (${ageOf(since.xmin)}) AND age(l.row_writer) >= 0
                      THEN age(l.row_writer) <= (${ageOf(since.xmax)}) OR l.row_writer = ANY (${inProgress}::text::xid[])
                      ELSE false END
             AND CASE WHEN (${ageOf(since.xmin)}) < ${sql.lit(EVERY)} THEN l.written >= ${since.xmax}::text::xid8
                        OR l.written = ANY (${plainArray(since.inProgress)}::text::xid8[])
                      ELSE true END
           ${barrier}) changed
         ORDER BY device_uid, metric LIMIT ${limit}) c ON true
     ORDER BY c.device_uid, c.metric`.execute(db);
  return { snapshot: parseSnapshot(rows[0]!.snapshot), rows: rows.filter((row) => row.device_uid !== null) };
}

/** An age greater than any that can be compared. */
const EVERY = 2_147_483_647;

/** Returns the age of `xid` (64 bits) in transactions, or {@link EVERY} if that is out of range. */
function ageOf(xid: string): RawBuilder<unknown> {
  return sql`
    SELECT CASE WHEN pg_snapshot_xmax(pg_current_snapshot())::text::numeric - ${xid}::numeric BETWEEN 0 AND 2000000000
                THEN age(mod(${xid}::numeric, 4294967296)::text::xid) ELSE ${sql.lit(EVERY)} END`;
}

/** Returns the current snapshot of visible transactions. */
export async function currentSnapshot(db: Db): Promise<Snapshot> {
  const { rows } = await sql<{ snapshot: string }>`SELECT pg_current_snapshot()::text AS snapshot`.execute(db);
  return parseSnapshot(rows[0]!.snapshot);
}
