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

/** One look, in one statement and so of one instant. */
export interface EventsRead {
  rows: EventRow[];
  /** The oldest transaction that is open: whatever commits from now on is its or a younger one's. */
  oldestOpen: string;
  /** Whether an event after the place has been forgotten, or the place is one that this database has never come to. */
  forgotten: boolean;
}

/**
 * A user who is no admin sees the events of their groups' devices, and of tickets what the lists of tickets show them
 * (tickets/visibility-store.ts).
 */
const READ = `
SELECT now.open::text AS oldest_open, now.forgotten, e.*
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS open,
               $2::text::xid8 > pg_snapshot_xmax(pg_current_snapshot())
               OR EXISTS (SELECT FROM events_horizon h WHERE h.xid > $2::text::xid8) AS forgotten) now
  LEFT JOIN LATERAL (
    SELECT e.seq, e.xid, e.at, e.kind, e.device_id, e.device_uid, e.data, e.xid < now.open AS settled
      FROM events e
     WHERE e.tenant_id = $1 AND (e.xid, e.seq) > ($2::text::xid8, $3::bigint)
       AND ($5::uuid IS NULL
         OR EXISTS (SELECT FROM device_groups g JOIN group_members m ON m.group_id = g.group_id
                     WHERE g.device_uid = e.device_uid AND m.user_id = $5::uuid)
         OR e.data->>'assigneeUserId' = $5::text OR e.data->>'createdBy' = 'user:' || $5::text
         OR EXISTS (SELECT FROM group_members m WHERE m.group_id = (e.data->>'groupId')::uuid AND m.user_id = $5::uuid))
     ORDER BY e.xid, e.seq LIMIT $4) e ON true
 ORDER BY e.xid, e.seq`;

/**
 * What is committed after a place, in order; those not `settled`, if any, come last.
 *
 * @param boundedTo the user whose groups bound what is seen; `undefined` for all there is
 */
export async function readAfter(
  db: Db,
  tenantId: string,
  after: { xid: string; seq: string },
  limit: number,
  boundedTo?: string,
): Promise<EventsRead> {
  type Row = EventRow & { oldest_open: string; forgotten: boolean };
  const parameters = [tenantId, after.xid, after.seq, limit, boundedTo ?? null];
  const rows = await runPrepared<Row>(db, "events-after", READ, parameters);
  const { oldest_open: oldestOpen, forgotten } = rows[0]!;
  return { rows: rows.filter((row) => row.seq !== null), oldestOpen, forgotten };
}

/** The oldest transaction that is open: whatever commits from now on is its or a younger one's. */
export async function oldestOpen(db: Db): Promise<string> {
  const rows = await runRaw<{ xid: string }>(db, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid", []);
  return rows[0]!.xid;
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
