import { type RawBuilder, sql } from "kysely";

/**
 * Sets `last_seen_at` of devices where it is later than the stored one. A device that another transaction has locked is skipped: an
 * enrollment must not delay the telemetry of every device in a batch.
 *
 * @param deviceUids array literal of uids
 * @param times array literal of times beside them, in microseconds since 1970
 */
export function updateLastSeen(deviceUids: RawBuilder<string>, times: RawBuilder<string>): RawBuilder<unknown> {
  return sql`
  UPDATE devices d SET last_seen_at = s.at
    FROM (SELECT k.uid, to_timestamp(u.at / 1e6) AS at
            FROM unnest(${deviceUids}::text::uuid[], ${times}::text::float8[]) AS u (uid, at)
            JOIN devices k ON k.uid = u.uid
             FOR NO KEY UPDATE OF k SKIP LOCKED) s
   WHERE d.uid = s.uid AND (d.last_seen_at IS NULL OR d.last_seen_at < s.at)`;
}
