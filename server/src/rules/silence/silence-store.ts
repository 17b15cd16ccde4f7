import { type RawBuilder, sql } from "kysely";
import { openSilences, resolveSilences } from "../../anomalies/anomalies.ts";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";

export interface Period {
  now: Date;
  /** The earliest start of any silence: before it, no process of ours recorded messages. */
  listeningSince: Date;
}

/** SQL: joins to `shared_devices d` the limit of its type, and the time when it was last seen. */
const withSilence = sql`
  LEFT JOIN shared_device_types y ON y.tenant_id = d.tenant_id AND y.id = d.device_type_id
  LEFT JOIN shared_device_latest l ON l.device_uid = d.uid
  CROSS JOIN LATERAL (SELECT greatest(d.last_seen_at, l.seen_at) AS seen_at) s`;

/** SQL: the time when the silence since the device was last seen reaches the limit of its type. */
const limitOf = (listeningSince: RawBuilder<Date>) =>
  sql`(greatest(s.seen_at, ${listeningSince}::timestamptz) + make_interval(secs => y.silent_for_seconds))`;

/** The silence state of a device to check. */
export interface SilenceState {
  uid: string;
  /** The limit of its type in seconds. Also null for a device that is deleted or was never seen. */
  silentForSeconds: number | null;
  isSilent: boolean;
  /** When its silence will exceed the limit, in PostgreSQL's time format. */
  limitAt: string;
  /** The opening time of its unresolved silence anomaly, or null. */
  anomalyAt: Date | null;
  /** Whether it was seen after that. */
  isSeenAgain: boolean;
}

const states = statement<Period & { uids: string }, SilenceState>(
  "silence-states",
  (p) => sql`
  SELECT c.uid, CASE WHEN s.seen_at IS NOT NULL THEN y.silent_for_seconds END AS "silentForSeconds",
         coalesce(${limitOf(p.listeningSince)} < ${p.now}::timestamptz, false) AS "isSilent",
         (${limitOf(p.listeningSince)} + interval '1 microsecond')::text AS "limitAt",
         a.opened_at AS "anomalyAt", coalesce(s.seen_at >= a.opened_at, false) AS "isSeenAgain"
    FROM unnest(${p.uids}::text::uuid[]) AS c (uid)
    LEFT JOIN shared_devices d ON d.uid = c.uid AND d.deleted_at IS NULL ${withSilence}
    LEFT JOIN shared_anomalies a
      ON a.device_uid = c.uid AND a.resolved_at IS NULL AND a.rule_id IS NULL AND a.certificate_id IS NULL`,
);

export async function silenceStates(db: Db, uids: readonly string[], period: Period): Promise<SilenceState[]> {
  return await runStatement(db, states, { ...period, uids: plainArray(uids) });
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
               NULL::text AS metric, to_jsonb(floor(extract(epoch FROM ${p.now}::timestamptz - s.seen_at))) AS value,
               to_jsonb(o.silent_for_seconds) AS breached, o.severity, o.message, 1 AS occurrences
          FROM jsonb_to_recordset(${p.silences}::text::jsonb)
               AS o (id uuid, device_uid uuid, silent_for_seconds integer, severity text, message text)
          JOIN shared_devices d ON d.uid = o.device_uid AND d.deleted_at IS NULL ${withSilence}
         WHERE y.silent_for_seconds = o.silent_for_seconds AND ${limitOf(p.listeningSince)} < ${p.now}::timestamptz`,
      p.now,
    )}) SELECT notify_rules_changed(device_uid::text) FROM opened`,
);

/**
 * Opens anomalies for those of `silences` whose device is still silent, and notifies the processes that ingest for it.
 * If two processes do so concurrently, the unique index admits one.
 */
export async function openSilentAnomalies(db: Db, silences: readonly SilenceRow[], period: Period): Promise<void> {
  await runStatement(db, opened, { ...period, silences: JSON.stringify(silences) });
}

const ended = statement<{ uids: string; now: Date }, never>(
  "resolve-past-silences",
  (p) =>
    sql`WITH ended AS (${resolveSilences(
      sql`SELECT a.device_uid, CASE WHEN y.silent_for_seconds IS NULL THEN 'silence_allowed' END AS end_reason
          FROM unnest(${p.uids}::text::uuid[]) AS c (uid)
          JOIN shared_anomalies a
            ON a.device_uid = c.uid AND a.resolved_at IS NULL AND a.rule_id IS NULL AND a.certificate_id IS NULL
          JOIN shared_devices d ON d.uid = c.uid ${withSilence}
         WHERE s.seen_at >= a.opened_at OR y.silent_for_seconds IS NULL`,
      p.now,
    )}) SELECT notify_rules_changed(device_uid::text) FROM ended`,
);

/**
 * Resolves the silence anomalies of devices that were seen again, and of those whose type no longer limits silence.
 * Ingest does so with a device's next message; this function covers connects, and messages stored while the anomaly
 * opened.
 */
export async function resolvePastSilences(db: Db, uids: readonly string[], now: Date): Promise<void> {
  await runStatement(db, ended, { uids: plainArray(uids), now });
}
