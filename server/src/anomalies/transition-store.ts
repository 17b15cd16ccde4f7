import { plainArray } from "../db/array-literal.ts";
import type { Statement } from "../db/database.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import { ANOMALY_COLUMNS } from "./anomaly-store.ts";
import type { RuleValue, Severity } from "./severity.ts";

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
  /** The pack's, by which it was judged; absent where whoever observed it answers for it. */
  revision?: number;
}

/** Holds these devices and packs as they are: neither is deleted, taken off or changed before the commit. */
export function holdJudged(deviceUids: Iterable<string>, thresholdIds: Iterable<string>): Statement {
  const sets = [new Set(deviceUids), new Set(thresholdIds)];
  return {
    name: "hold-judged",
    text: "SELECT hold_judged($1::text::uuid[], $2::text::uuid[])",
    parameters: sets.map((ids) => plainArray([...ids])),
  };
}

/**
 * Whether rule `o.rule_id` of pack `o.threshold_id` judges device `d` still as it did in `o.revision`; rows without one are not asked. A
 * rule that is in the pack still is the same rule, whatever became of the others.
 */
export const STILL_JUDGED = `(o.revision IS NULL OR
  EXISTS (SELECT FROM thresholds t WHERE t.id = o.threshold_id AND t.enabled
             AND (t.revision = o.revision OR t.since_revision <= o.revision
               AND EXISTS (SELECT FROM json_array_elements(t.rules) r WHERE r ->> 'id' = o.rule_id::text)))
  AND (EXISTS (SELECT FROM device_thresholds w WHERE w.device_uid = d.uid AND w.threshold_id = o.threshold_id)
    OR EXISTS (SELECT FROM device_type_thresholds w
                WHERE w.device_type_id = d.device_type_id AND w.threshold_id = o.threshold_id)))`;

const OBSERVED = `jsonb_to_recordset($1::text::jsonb) AS o (id uuid, device_uid uuid, threshold_id uuid, rule_id uuid,
         metric text, value jsonb, breached jsonb, severity text, message text, times bigint, revision integer)
  JOIN devices d ON d.uid = o.device_uid
 WHERE d.deleted_at IS NULL AND ${STILL_JUDGED}`;

const OPEN = `
INSERT INTO anomalies AS a (id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached,
                            severity, message, opened_at, last_observed_at, occurrences)
SELECT o.id, d.tenant_id, d.uid, d.id, o.threshold_id, o.rule_id, o.metric, o.value, o.breached,
       o.severity, o.message, $2::timestamptz, $2::timestamptz, o.times
  FROM ${OBSERVED}
 ORDER BY o.device_uid, o.rule_id
ON CONFLICT (device_uid, rule_id) WHERE resolved_at IS NULL DO UPDATE
   SET value = excluded.value, last_observed_at = greatest(a.last_observed_at, excluded.last_observed_at),
       occurrences = a.occurrences + excluded.occurrences
RETURNING ${ANOMALY_COLUMNS}`;

/**
 * Opens an anomaly for every row, or counts it into the unresolved one there is: an `AnomalyRow` each. Rows of deleted devices are
 * left out, and of packs that judge their device no longer.
 *
 * Devices and packs are held before ({@link holdJudged}) and rows come in order, so that batches that meet wait for each
 * other, never in a ring.
 */
export function openAnomalyRows(rows: readonly ObservedRow[], now: Date): Statement {
  return { name: "open-anomalies", text: OPEN, parameters: [JSON.stringify(rows), now] };
}

const PASSED = `
INSERT INTO anomalies (id, tenant_id, device_uid, device_id, threshold_id, rule_id, metric, value, breached, severity,
                       message, opened_at, last_observed_at, occurrences, status, resolved_at, resolved_by)
SELECT o.id, d.tenant_id, d.uid, d.id, o.threshold_id, o.rule_id, o.metric, o.value, o.breached, o.severity,
       o.message, $2::timestamptz, $2::timestamptz, o.times, 'resolved', $2::timestamptz, 'system'
  FROM ${OBSERVED}`;

/** Notes faults that came and went between two commits, as resolved anomalies. */
export function passedAnomalyRows(rows: readonly ObservedRow[], now: Date): Statement {
  return { name: "passed-anomalies", text: PASSED, parameters: [JSON.stringify(rows), now] };
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

/** Resolves what is unresolved of `watches`: an `AnomalyRow` each. */
export function resolveAnomalyRows(watches: readonly Watch[], by: string, now: Date): Statement {
  const uids = plainArray(watches.map(({ deviceUid }) => deviceUid));
  const rules = plainArray(watches.map(({ ruleId }) => ruleId));
  return { name: "resolve-anomalies", text: RESOLVE, parameters: [uids, rules, now, by] };
}

/** Has whoever judges these devices look again where their rules stand: somebody else has resolved something. */
export function tellJudges(uids: readonly string[]): Statement {
  return {
    name: "tell-judges",
    text: "SELECT tell_rules(uid::text) FROM unnest($1::text::uuid[]) AS u (uid)",
    parameters: [plainArray([...new Set(uids)])],
  };
}

const SPOKE_AGAIN = `
UPDATE anomalies a SET status = 'resolved', resolved_at = $2, resolved_by = 'system'
  FROM (SELECT u.id FROM anomalies u
         WHERE u.device_uid = ANY ($1::text::uuid[]) AND u.rule_id IS NULL AND u.resolved_at IS NULL
         ORDER BY u.device_uid FOR UPDATE) ended
 WHERE a.id = ended.id`;

/** Resolves the anomalies of these devices' silence. */
export function endSilence(uids: readonly string[], now: Date): Statement {
  return { name: "end-silence", text: SPOKE_AGAIN, parameters: [plainArray(uids), now] };
}
