import { type RawBuilder, sql } from "kysely";
import { openSilences, resolveSilences } from "../anomalies/anomalies.ts";
import type { Db } from "../db/database.ts";
import { runStatement, statement } from "../db/statement.ts";

type Time = RawBuilder<Date>;

/**
 * Devices `d` that were seen once and have been silent for longer than their type allows. Silence counts from `listeningSince` at the earliest:
 * before, no process of ours recorded messages.
 */
const silent = (now: Time, listeningSince: Time) => sql`(
  SELECT d.uid, d.id, d.tenant_id, y.silent_for_seconds, greatest(d.last_seen_at, l.seen_at) AS last_seen_at
    FROM shared_device_types y
    JOIN shared_devices d ON d.tenant_id = y.tenant_id AND d.device_type_id = y.id AND d.deleted_at IS NULL
    LEFT JOIN shared_device_latest l ON l.device_uid = d.uid
   WHERE y.silent_for_seconds IS NOT NULL AND greatest(d.last_seen_at, l.seen_at) IS NOT NULL
     AND greatest(d.last_seen_at, l.seen_at, ${listeningSince}::timestamptz)
         < ${now}::timestamptz - make_interval(secs => y.silent_for_seconds)) d`;

interface Period {
  now: Date;
  listeningSince: Date;
}

export interface SilentDevice {
  uid: string;
  /** The limit of its type, in seconds. */
  silentForSeconds: number;
}

const silentDevices = statement<Period & { after: string; limit: number }, SilentDevice>(
  "silent-devices",
  (p) => sql`SELECT d.uid, d.silent_for_seconds AS "silentForSeconds" FROM ${silent(p.now, p.listeningSince)}
   WHERE d.uid > ${p.after}::uuid
     AND NOT EXISTS (SELECT FROM shared_anomalies a
       WHERE a.device_uid = d.uid AND a.resolved_at IS NULL AND a.rule_id IS NULL AND a.certificate_id IS NULL)
   ORDER BY d.uid LIMIT ${p.limit}::integer`,
);

/** Up to `limit` silent devices without an anomaly for it, in order of their uids, from behind `after` on. */
export async function findSilent(db: Db, period: Period & { after: string }, limit: number): Promise<SilentDevice[]> {
  return await runStatement(db, silentDevices, { ...period, limit });
}

/** An anomaly to open for a silent device; `id` is the anomaly's. */
export interface SilenceRow {
  id: string;
  device_uid: string;
  silent_for_seconds: number;
  severity: "major";
  message: string;
}

const opened = statement<Period & { silences: string }, never>(
  "open-silences",
  (p) =>
    sql`WITH opened AS (${openSilences(
      sql`SELECT o.id, d.tenant_id, o.device_uid, d.id AS device_id, NULL::uuid AS threshold_id, NULL::uuid AS rule_id,
               NULL::text AS metric, to_jsonb(floor(extract(epoch FROM ${p.now}::timestamptz - d.last_seen_at))) AS value,
               to_jsonb(o.silent_for_seconds) AS breached, o.severity, o.message, 1 AS occurrences
          FROM ${silent(p.now, p.listeningSince)}
          JOIN jsonb_to_recordset(${p.silences}::text::jsonb)
               AS o (id uuid, device_uid uuid, silent_for_seconds integer, severity text, message text)
            ON o.device_uid = d.uid AND o.silent_for_seconds = d.silent_for_seconds`,
      p.now,
    )}) SELECT notify_rules_changed(device_uid::text) FROM opened`,
);

/**
 * Opens an anomaly for those of `silences` whose device is still silent, and notifies the processes that ingest for it. When two
 * processes open at once, the unique index lets one.
 */
export async function openSilentAnomalies(db: Db, silences: readonly SilenceRow[], period: Period): Promise<void> {
  await runStatement(db, opened, { ...period, silences: JSON.stringify(silences) });
}

const ended = statement<{ now: Date }, never>(
  "resolve-past-silences",
  (p) =>
    sql`WITH ended AS (${resolveSilences(
      sql`SELECT s.device_uid, CASE WHEN y.silent_for_seconds IS NULL THEN 'silence_allowed' END AS end_reason
          FROM shared_anomalies s JOIN shared_devices d ON d.uid = s.device_uid
          LEFT JOIN shared_device_latest l ON l.device_uid = d.uid
          LEFT JOIN shared_device_types y ON y.id = d.device_type_id
         WHERE s.resolved_at IS NULL AND s.rule_id IS NULL AND s.certificate_id IS NULL
           AND (greatest(d.last_seen_at, l.seen_at) >= s.opened_at OR y.silent_for_seconds IS NULL)`,
      p.now,
    )}) SELECT notify_rules_changed(device_uid::text) FROM ended`,
);

/**
 * Resolves the anomalies of devices that were seen again, and of those whose type no longer limits silence. Ingest resolves them
 * with the device's next message; this one is for a connect, and for a message that was stored while the anomaly opened.
 */
export async function resolvePastSilences(db: Db, now: Date): Promise<void> {
  await runStatement(db, ended, { now });
}
