import { type Db, runPrepared, runRaw } from "../db/database.ts";

export interface EventRow {
  seq: string;
  xid: string;
  at: Date;
  kind: string;
  device_id: string | null;
  device_uid: string | null;
  data: Record<string, unknown>;
  /** Whether every transaction as old as the event's has ended, so that nothing can appear before it. */
  settled: boolean;
}

const READ = `
SELECT e.seq, e.xid::text AS xid, e.at, e.kind, e.device_id, e.device_uid, e.data,
       e.xid < pg_snapshot_xmin(pg_current_snapshot()) AS settled
  FROM events e
 WHERE e.tenant_id = $1 AND (e.xid, e.seq) > ($2::text::xid8, $3::bigint)
 ORDER BY e.xid, e.seq LIMIT $4`;

/** What is committed after a place, in order; those not `settled`, if any, come last. */
export function eventsAfter(
  db: Db,
  tenantId: string,
  after: { xid: string; seq: string },
  limit: number,
): Promise<EventRow[]> {
  return runPrepared<EventRow>(db, "events-after", READ, [tenantId, after.xid, after.seq, limit]);
}

/** The oldest transaction that is open: whatever commits from now on is its or a younger one's. */
export async function oldestOpen(db: Db): Promise<string> {
  const rows = await runRaw<{ xid: string }>(db, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid", []);
  return rows[0]!.xid;
}

/** Whether an event of a transaction younger than `xid` has been forgotten. */
export async function isForgotten(db: Db, xid: string): Promise<boolean> {
  const ask = "SELECT xid > $1::text::xid8 AS forgotten FROM events_horizon";
  const rows = await runRaw<{ forgotten: boolean }>(db, ask, [xid]);
  return rows[0]?.forgotten ?? false;
}

/** Forgets at most `limit` events from before `before`. @returns how many */
export async function forgetEvents(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await runRaw<{ gone: string }>(
    db,
    `WITH gone AS (
       DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE at < $1 ORDER BY at LIMIT $2) RETURNING xid
     ), noted AS (
       UPDATE events_horizon h SET xid = greatest(h.xid, (SELECT max(xid) FROM gone)) WHERE EXISTS (SELECT FROM gone)
     )
     SELECT count(*) AS gone FROM gone`,
    [before, limit],
  );
  return Number(rows[0]!.gone);
}
