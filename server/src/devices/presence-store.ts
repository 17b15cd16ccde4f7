import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { runStatement, statement } from "../db/statement.ts";

/** The connectivity of a device; `seq` is the number of the session that set it. */
export interface PresenceRow {
  deviceUid: string;
  seq: string;
  online: boolean;
  at: Date;
  reason: string | null;
}

interface PresenceColumns {
  deviceUids: string[];
  seqs: string[];
  online: boolean[];
  times: Date[];
  reasons: (string | null)[];
}

const storePresence = statement<PresenceColumns, object>(
  "presence",
  (p) => sql`
  WITH reported AS (
    SELECT * FROM unnest(${p.deviceUids}::uuid[], ${p.seqs}::bigint[], ${p.online}::boolean[],
                         ${p.times}::timestamptz[], ${p.reasons}::text[]) AS n(uid, seq, online, at, reason)
  ), locked AS (
    SELECT d.uid FROM devices d JOIN reported USING (uid) ORDER BY d.uid FOR NO KEY UPDATE OF d
  )
  UPDATE devices d
     SET connectivity = CASE WHEN r.online THEN 'online' ELSE 'offline' END, connectivity_since = r.at,
         connectivity_reason = r.reason, connectivity_seq = r.seq,
         last_seen_at = greatest(d.last_seen_at, r.at)
    FROM reported r JOIN locked USING (uid)
   WHERE d.uid = r.uid
     AND (d.connectivity_seq < r.seq OR (d.connectivity_seq = r.seq AND NOT r.online))`,
);

/** Writes which devices are online. Locks rows in one order to prevent deadlocks; a row older than the stored one changes nothing. */
export async function writePresence(db: Db, rows: readonly PresenceRow[]): Promise<void> {
  await runStatement(db, storePresence, {
    deviceUids: rows.map((row) => row.deviceUid),
    seqs: rows.map((row) => row.seq),
    online: rows.map((row) => row.online),
    times: rows.map((row) => row.at),
    reasons: rows.map((row) => row.reason),
  });
}

/**
 * CTEs `locked`, `offline`: the devices of removed sessions are offline, unless a later session has set their connectivity.
 *
 * @param sessions CTE with `device_uid` and `seq` of the removed sessions
 */
export function setOffline(sessions: RawBuilder<unknown>, reason: string, now: Date): RawBuilder<unknown> {
  return sql`locked AS (
      SELECT d.uid, s.seq FROM devices d JOIN ${sessions} s ON s.device_uid = d.uid ORDER BY d.uid FOR NO KEY UPDATE OF d
    ), offline AS (
      UPDATE devices d SET connectivity = 'offline', connectivity_since = ${now}, connectivity_reason = ${reason},
             connectivity_seq = locked.seq
        FROM locked WHERE d.uid = locked.uid AND d.connectivity_seq <= locked.seq
    )`;
}
