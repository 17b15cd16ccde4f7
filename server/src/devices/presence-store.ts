import { type RawBuilder, sql } from "kysely";
import { plainArray, textArray } from "../db/array-literal.ts";
import type { Db } from "../db/database.ts";
import { type BoundStatement, runStatement, statement } from "../db/statement.ts";

/**
 * Connectivity events are debounced. If a device keeps connecting and disconnecting, a connect event is recorded at
 * most once in a number of seconds, and a disconnect event only after a connect event. The state itself is always
 * written immediately. A device that is online with a pending event has `online_event_owed` set. {@link
 * recordOwedEvents} records it later, whichever process the device is connected to, even after a crash.
 */
export interface PresenceRow {
  deviceUid: string;
  /** The number of the session that set it. */
  seq: string;
  online: boolean;
  at: Date;
  reason: string | null;
  /** For a row that is not online: the preceding connect, if no row was written for it. */
  connect?: { seq: string; at: Date } | undefined;
}

/** The columns as array literals. */
interface PresenceColumns {
  deviceUids: string;
  seqs: string;
  online: string;
  times: string;
  reasons: string;
  connectSeqs: string;
  connectTimes: string;
  dampSeconds: number;
}

/**
 * Returns the condition that the last connect event of `d` was less than `seconds` before `at`. An event after `at`
 * does not count, so that a clock that is set back does not suppress events for longer.
 */
function isRecent(at: RawBuilder<unknown>, seconds: RawBuilder<number>): RawBuilder<boolean> {
  return sql`(d.online_event_at > ${at} - make_interval(secs => ${seconds}::float8) AND d.online_event_at <= ${at})`;
}

/**
 * Stores the connectivity of devices. All decisions use the rows as they were when they were locked. A device that has
 * connected and disconnected since the last update gets both events from one update: the trigger sees that
 * `online_event_at` of an offline device has changed. Fires `devices_event_connectivity` and
 * `devices_seen_or_of_another_type`.
 */
const storePresence = statement<PresenceColumns, object>(
  "presence",
  (p) => sql`
  WITH reported AS (
    SELECT * FROM unnest(${p.deviceUids}::text::uuid[], ${p.seqs}::text::bigint[], ${p.online}::text::boolean[],
                         ${p.times}::text::timestamptz[], ${p.reasons}::text::text[],
                         ${p.connectSeqs}::text::bigint[], ${p.connectTimes}::text::timestamptz[])
      AS n(uid, seq, online, at, reason, connect_seq, connected_at)
  ), locked AS (
    SELECT r.*, d.connectivity = 'online' AS was_online, d.connectivity_seq, d.online_event_owed,
           ${isRecent(sql`r.connected_at`, p.dampSeconds)} IS TRUE AS is_damped
      FROM devices d JOIN reported r USING (uid) ORDER BY d.uid FOR NO KEY UPDATE OF d
  ), decided AS (
    SELECT l.*, l.online AND (CASE WHEN l.was_online THEN l.online_event_owed ELSE l.is_damped END) AS is_owed,
           NOT l.was_online AND l.connectivity_seq < l.connect_seq AND NOT l.is_damped AS is_recorded
      FROM locked l
     WHERE l.connectivity_seq < l.seq OR (l.connectivity_seq = l.seq AND NOT l.online)
  )
  UPDATE devices d
     SET connectivity = CASE WHEN r.online THEN 'online' ELSE 'offline' END, connectivity_since = r.at,
         connectivity_reason = r.reason, connectivity_seq = r.seq, online_event_owed = r.is_owed,
         online_event_at = CASE WHEN r.is_recorded THEN r.connected_at ELSE d.online_event_at END,
         last_seen_at = greatest(d.last_seen_at, r.at)
    FROM decided r
   WHERE d.uid = r.uid`,
);

/**
 * Returns the statement that stores which devices are online. It locks rows in the order of their ids to prevent
 * deadlocks. A row with a lower session number than the stored one has no effect.
 *
 * @param dampSeconds the least time between two connect events of a device
 */
export function presenceStatement(rows: readonly PresenceRow[], dampSeconds: number): BoundStatement {
  const connects = rows.map((row) => (row.online ? row : row.connect));
  return storePresence.with({
    deviceUids: plainArray(rows.map((row) => row.deviceUid)),
    seqs: plainArray(rows.map((row) => row.seq)),
    online: plainArray(rows.map((row) => row.online)),
    times: plainArray(rows.map((row) => row.at.toISOString())),
    reasons: textArray(rows.map((row) => row.reason ?? undefined)),
    connectSeqs: plainArray(connects.map((connect) => connect?.seq)),
    connectTimes: plainArray(connects.map((connect) => connect?.at.toISOString())),
    dampSeconds,
  });
}

/** Fires `devices_event_connectivity`. */
const recordOnline = statement<{ now: Date; dampSeconds: number; limit: number }, { uid: string }>(
  "record-online",
  (p) => sql`
  UPDATE devices d SET online_event_owed = false, online_event_at = ${p.now}::timestamptz
    FROM (SELECT d.uid FROM devices d
           WHERE d.online_event_owed AND ${isRecent(sql`${p.now}::timestamptz`, p.dampSeconds)} IS NOT TRUE
           ORDER BY d.uid LIMIT ${p.limit} FOR NO KEY UPDATE SKIP LOCKED) due
   WHERE d.uid = due.uid RETURNING d.uid`,
);

/** Records the connect events that are due. @returns how many, at most `limit` */
export async function recordOwedEvents(db: Db, now: Date, dampSeconds: number, limit: number): Promise<number> {
  const rows = await runStatement(db, recordOnline, { now, dampSeconds, limit });
  return rows.length;
}

/**
 * Returns the CTEs `locked` and `offline`, which set the devices of removed sessions offline, unless a later session
 * has set their connectivity. Fires `devices_event_connectivity`.
 *
 * @param sessions CTE with `device_uid` and `seq` of the removed sessions
 */
export function setOffline(sessions: RawBuilder<unknown>, reason: string, now: Date): RawBuilder<unknown> {
  return sql`locked AS (
      SELECT d.uid, s.seq FROM devices d JOIN ${sessions} s ON s.device_uid = d.uid ORDER BY d.uid FOR NO KEY UPDATE OF d
    ), offline AS (
      UPDATE devices d SET connectivity = 'offline', connectivity_since = ${now}, connectivity_reason = ${reason},
             connectivity_seq = locked.seq, online_event_owed = false
        FROM locked WHERE d.uid = locked.uid AND d.connectivity_seq <= locked.seq
    )`;
}
