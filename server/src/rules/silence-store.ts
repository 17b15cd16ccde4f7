import { plainArray } from "../db/array-literal.ts";
import { type Db, runRaw } from "../db/database.ts";

/** Devices `d` of types `y` that ask for it, seen once, and silent at $1 for longer; nobody listened before $2. */
const SILENT = `
  FROM device_types y JOIN devices d ON d.tenant_id = y.tenant_id AND d.device_type_id = y.id
 WHERE y.silent_for_seconds IS NOT NULL AND d.deleted_at IS NULL AND d.last_seen_at IS NOT NULL
   AND greatest(d.last_seen_at, $2::timestamptz) < $1::timestamptz - make_interval(secs => y.silent_for_seconds)
   AND NOT EXISTS (SELECT FROM anomalies a WHERE a.device_uid = d.uid AND a.resolved_at IS NULL AND a.rule_id IS NULL)`;

/** Up to `limit` devices whose silence is an anomaly that nobody has opened yet. */
export async function findSilent(db: Db, now: Date, listeningSince: Date, limit: number): Promise<string[]> {
  const rows = await runRaw<{ uid: string }>(db, `SELECT d.uid ${SILENT} ORDER BY d.uid LIMIT $3`, [
    now,
    listeningSince,
    limit,
  ]);
  return rows.map(({ uid }) => uid);
}

/**
 * Opens an anomaly for those of `uids` that are silent still, and tells whoever ingests for them. Of two processes that try
 * at once the unique index lets one.
 */
export async function openSilence(
  db: Db,
  uids: readonly string[],
  ids: readonly string[],
  now: Date,
  listeningSince: Date,
): Promise<void> {
  await runRaw(
    db,
    `WITH opened AS (
       INSERT INTO anomalies (id, tenant_id, device_uid, device_id, value, breached, severity, message, opened_at,
                              last_observed_at, occurrences)
       SELECT o.id, d.tenant_id, d.uid, d.id, to_jsonb(floor(extract(epoch FROM $1::timestamptz - d.last_seen_at))),
              to_jsonb(y.silent_for_seconds), 'major',
              'The device has been silent for more than ' || y.silent_for_seconds || ' s', $1, $1, 1
       ${SILENT.replace("WHERE", "JOIN unnest($3::text::uuid[], $4::text::uuid[]) AS o (uid, id) ON o.uid = d.uid WHERE")}
       ORDER BY d.uid
       ON CONFLICT (device_uid) WHERE resolved_at IS NULL AND rule_id IS NULL DO NOTHING
       RETURNING device_uid
     ) SELECT tell_rules(device_uid::text) FROM opened`,
    [now, listeningSince, plainArray(uids), plainArray(ids)],
  );
}

/**
 * Resolves the silence of devices that were seen again, and of those whose type asks for none any longer. Messages resolve it
 * at once (telemetry); this is for connections, and for a message that met the opening.
 */
export async function endPastSilences(db: Db, now: Date): Promise<void> {
  await runRaw(
    db,
    `WITH past AS (
       SELECT a.id, y.silent_for_seconds IS NULL AS unasked
         FROM anomalies a JOIN devices d ON d.uid = a.device_uid LEFT JOIN device_types y ON y.id = d.device_type_id
        WHERE a.resolved_at IS NULL AND a.rule_id IS NULL AND (d.last_seen_at >= a.opened_at OR y.silent_for_seconds IS NULL)
        ORDER BY a.device_uid FOR UPDATE OF a
     ), ended AS (
       UPDATE anomalies a SET status = 'resolved', resolved_at = $1, resolved_by = 'system',
              comment = CASE WHEN past.unasked THEN coalesce(a.comment, 'No longer judged: the device type does not ask for it.')
                             ELSE a.comment END
         FROM past WHERE a.id = past.id RETURNING a.device_uid
     ) SELECT tell_rules(device_uid::text) FROM ended`,
    [now],
  );
}
