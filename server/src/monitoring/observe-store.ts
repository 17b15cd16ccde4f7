import { type Db, runPrepared, type Tx } from "../db/database.ts";
import { ANOMALY_COLUMNS, type AnomalyRow } from "./anomaly-store.ts";
import { plainArray } from "./array-literal.ts";
import type { MetricValue } from "./reading.ts";
import type { RuleValue, Severity } from "./rule.ts";

/** What is known of a fault in one batch; `id` is the anomaly's if it is a new one. No two share device and rule. */
export interface ObservedRow {
  id: string;
  device_uid: string;
  threshold_id: string;
  rule_id: string;
  metric: string;
  value: MetricValue;
  breached: RuleValue;
  severity: Severity;
  message: string;
  times: number;
}

const LOCK = `
SELECT d.uid FROM devices d WHERE d.uid = ANY ($1::text::uuid[]) ORDER BY d.uid FOR KEY SHARE`;

const OPEN = `
INSERT INTO anomalies AS a (id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached,
                            severity, message, opened_at, last_observed_at, occurrences)
SELECT o.id, d.tenant_id, d.uid, d.id, o.threshold_id, o.rule_id, o.metric, o.value, o.breached,
       o.severity, o.message, $2::timestamptz, $2::timestamptz, o.times
  FROM jsonb_to_recordset($1::text::jsonb) AS o (id uuid, device_uid uuid, threshold_id uuid, rule_id uuid,
         metric text, value jsonb, breached jsonb, severity text, message text, times bigint)
  JOIN devices d ON d.uid = o.device_uid
 WHERE d.deleted_at IS NULL
 ORDER BY o.device_uid, o.rule_id
ON CONFLICT (device_uid, rule_id) WHERE resolved_at IS NULL DO UPDATE
   SET value = excluded.value, last_observed_at = greatest(a.last_observed_at, excluded.last_observed_at),
       occurrences = a.occurrences + excluded.occurrences
RETURNING ${ANOMALY_COLUMNS}`;

/**
 * Opens an anomaly for every row, or counts it into the unresolved one there is. Rows of deleted devices are left out.
 *
 * The key shares keep the devices from being deleted until the commit and stand in nobody else's way. They come in a
 * statement of their own: only the next one sees a deletion that was waited for. Devices before anomalies and both in
 * order, so that batches that meet wait for each other, never in a ring.
 */
export async function openAnomalyRows(tx: Tx, rows: readonly ObservedRow[], now: Date): Promise<AnomalyRow[]> {
  const uids = [...new Set(rows.map((row) => row.device_uid))];
  await runPrepared(tx, "lock-observed", LOCK, [plainArray(uids)]);
  return await runPrepared<AnomalyRow>(tx, "open-anomalies", OPEN, [JSON.stringify(rows), now]);
}

/** A device and a rule: what has at most one unresolved anomaly. */
export interface Watch {
  deviceUid: string;
  ruleId: string;
}

const RESOLVE = `
UPDATE anomalies a SET status = 'resolved', resolved_at = $3, resolved_by = $4
  FROM (SELECT u.id FROM unnest($1::text::uuid[], $2::text::uuid[]) AS w (device_uid, rule_id)
          JOIN anomalies u ON u.device_uid = w.device_uid AND u.rule_id = w.rule_id
         WHERE u.resolved_at IS NULL ORDER BY u.device_uid, u.rule_id FOR UPDATE OF u) ended
 WHERE a.id = ended.id
RETURNING ${ANOMALY_COLUMNS}`;

/** Resolves what is unresolved of `watches`. */
export function resolveAnomalyRows(db: Db, watches: readonly Watch[], by: string, now: Date): Promise<AnomalyRow[]> {
  const uids = plainArray(watches.map(({ deviceUid }) => deviceUid));
  const rules = plainArray(watches.map(({ ruleId }) => ruleId));
  return runPrepared<AnomalyRow>(db, "resolve-anomalies", RESOLVE, [uids, rules, now, by]);
}
