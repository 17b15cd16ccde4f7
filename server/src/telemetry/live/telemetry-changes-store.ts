import { plainArray, textArray } from "../../db/array-literal.ts";
import { type Db, runRaw } from "../../db/database.ts";
import type { LatestRow } from "../device-values-store.ts";
import { type Snapshot, toSnapshot } from "./snapshot.ts";

export interface ChangedRow extends LatestRow {
  device_id: string;
  device_uid: string;
}

/** Whose latest values. */
export interface Whose {
  tenantId: string;
  /** A user who sees the devices of their groups; `undefined`: all of the tenant. */
  boundedTo: string | undefined;
  /** Those of these ids only. */
  deviceIds: readonly string[] | undefined;
}

/**
 * Every version of a row carries the transaction that wrote it (`xmin`), so that what has changed since a snapshot is known
 * to the row without a column, an index or anything else that storing would have to pay for. `xmin` has 32 bits and comes
 * round after four thousand million transactions; `age` counts back from now. A snapshot that is too old for that, or of
 * another database (a restored backup), has everything told anew.
 *
 * Whoever writes telemetry_latest must not do so after a savepoint: its rows would carry a number that no snapshot lists.
 *
 * Planned each time, for the tenant at hand, and with `CASE` standing for "any number of rows", which the planner cannot know.
 * A round begins with a look over all there is; within one, most has changed, so that the order of the index soon fills a page.
 */
const select = (whole: "OFFSET 0" | "") =>
  `
SELECT pg_current_snapshot()::text AS snapshot, c.*
  FROM (SELECT 1) one LEFT JOIN (
    SELECT * FROM (
      SELECT d.id AS device_id, l.device_uid, l.metric, l.ts, l.number, l.flag, l.text, l.received_at, l.time_replaced
        FROM telemetry_latest l JOIN devices d ON d.uid = l.device_uid
       WHERE d.tenant_id = $1 AND d.deleted_at IS NULL
         AND ($2::uuid IS NULL OR EXISTS (
           SELECT FROM device_groups g JOIN group_members m ON m.group_id = g.group_id
            WHERE g.device_uid = d.uid AND m.user_id = $2::uuid))
         AND ($3::text[] IS NULL OR d.id = ANY ($3::text[]))
         AND ($4::uuid IS NULL OR (l.device_uid, l.metric) > ($4::uuid, $5::text))
         AND CASE WHEN age(l.xmin) <= (SELECT age_of($6)) AND age(l.xmin) >= 0
                  THEN age(l.xmin) <= (SELECT age_of($7)) OR l.xmin = ANY ($8::xid[]) ELSE false END
       ${whole}) changed
     ORDER BY device_uid, metric LIMIT $9) c ON true
 ORDER BY c.device_uid, c.metric`.replaceAll(
    /age_of\((\$\d)\)/g,
    `CASE WHEN pg_snapshot_xmax(pg_current_snapshot())::text::numeric - $1::numeric BETWEEN 0 AND 2000000000
        THEN age(mod($1::numeric, 4294967296)::text::xid) ELSE 2147483647 END`,
  );
const BEGIN_ROUND = select("OFFSET 0");
const GO_ON = select("");

/**
 * Up to `limit` latest values that were not yet seen at `since`, by device and metric, from behind `after` on.
 *
 * @returns them with the snapshot that they were read in
 */
export async function selectChanged(
  db: Db,
  { tenantId, boundedTo, deviceIds }: Whose,
  since: Snapshot,
  after: Pick<ChangedRow, "device_uid" | "metric"> | undefined,
  limit: number,
): Promise<{ snapshot: Snapshot; rows: ChangedRow[] }> {
  const rows = await runRaw<ChangedRow & { snapshot: string }>(db, after ? GO_ON : BEGIN_ROUND, [
    tenantId,
    boundedTo ?? null,
    deviceIds === undefined ? null : textArray(deviceIds),
    after?.device_uid ?? null,
    after?.metric ?? null,
    since.oldest,
    since.next,
    plainArray(since.open.map((xid) => String(BigInt.asUintN(32, BigInt(xid))))),
    limit,
  ]);
  return { snapshot: toSnapshot(rows[0]!.snapshot), rows: rows.filter((row) => row.device_uid !== null) };
}

/** Whose work can be seen now. */
export async function snapshotNow(db: Db): Promise<Snapshot> {
  const [row] = await runRaw<{ snapshot: string }>(db, "SELECT pg_current_snapshot()::text AS snapshot", []);
  return toSnapshot(row!.snapshot);
}
