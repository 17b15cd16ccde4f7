import { type RawBuilder, sql } from "kysely";
import {
  insertResolvedAnomalies,
  openAnomalies,
  type RuleValue,
  resolveAnomalies,
  resolveSilences,
  type Severity,
} from "../anomalies/anomalies.ts";
import { plainArray } from "../db/array-literal.ts";
import { type BoundStatement, statement } from "../db/statement.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";

/** The breaches of a rule on a device in one batch. No two rows of a statement share both. */
export interface BreachRow {
  /** The id of the anomaly, if a new one opens. */
  id: string;
  device_uid: string;
  threshold_id: string;
  rule_id: string;
  /** The revision of the pack when the rule was evaluated. */
  revision: number;
  metric: string;
  value: MetricValue;
  breached: RuleValue;
  severity: Severity;
  message: string;
  occurrences: number;
}

/**
 * Joins the rows `o` to their device and rule `e`. Leaves out rows whose rule no longer evaluates the device as at
 * `o.revision`, because another process may have changed the pack after this one cached it.
 */
export const stillEvaluated = sql`JOIN shared_device_rules e ON e.device_uid = o.device_uid
  AND e.threshold_id = o.threshold_id AND e.rule_id = o.rule_id AND e.since_revision <= o.revision`;

const breaches = (rows: RawBuilder<string>) => sql`
  SELECT o.id, e.tenant_id, o.device_uid, e.device_id, o.threshold_id, o.rule_id, o.metric, o.value, o.breached,
         o.severity, o.message, o.occurrences
    FROM jsonb_to_recordset(${rows}::text::jsonb) AS o (id uuid, device_uid uuid, threshold_id uuid, rule_id uuid,
         revision integer, metric text, value jsonb, breached jsonb, severity text, message text, occurrences bigint)
    ${stillEvaluated}`;

/** {@link BreachRow}s as JSON. */
interface BreachValues {
  breaches: string;
  now: Date;
}

const openedOrContinued = statement<BreachValues, never>("open-anomalies", (p) =>
  openAnomalies(breaches(p.breaches), p.now),
);

/** Opens an anomaly for each row, or counts it into the unresolved anomaly of its device and rule. */
export function openBreaches(rows: readonly BreachRow[], now: Date): BoundStatement {
  return openedOrContinued.with({ breaches: JSON.stringify(rows), now });
}

const openedAndResolved = statement<BreachValues, never>("transient-anomalies", (p) =>
  insertResolvedAnomalies(breaches(p.breaches), p.now),
);

/** Stores anomalies that opened and were resolved between two commits. */
export function storeTransient(rows: readonly BreachRow[], now: Date): BoundStatement {
  return openedAndResolved.with({ breaches: JSON.stringify(rows), now });
}

const resolved = statement<{ deviceUids: string; ruleIds: string; now: Date }, never>("resolve-anomalies", (p) =>
  resolveAnomalies(
    sql`SELECT * FROM unnest(${p.deviceUids}::text::uuid[], ${p.ruleIds}::text::uuid[]) AS u (device_uid, rule_id)`,
    p.now,
  ),
);

/** Resolves the unresolved anomalies of these rules on these devices. */
export function resolveRules(ended: readonly { deviceUid: string; ruleId: string }[], now: Date): BoundStatement {
  const deviceUids = plainArray(ended.map(({ deviceUid }) => deviceUid));
  const ruleIds = plainArray(ended.map(({ ruleId }) => ruleId));
  return resolved.with({ deviceUids, ruleIds, now });
}

const silencesEnded = statement<{ deviceUids: string; now: Date }, { device_uid: string }>("end-silences", (p) =>
  resolveSilences(
    sql`SELECT u.uid AS device_uid, NULL::text AS end_reason FROM unnest(${p.deviceUids}::text::uuid[]) AS u (uid)`,
    p.now,
  ),
);

/** Resolves the silence anomalies of these devices. */
export function endSilences(deviceUids: readonly string[], now: Date): BoundStatement {
  return silencesEnded.with({ deviceUids: plainArray(deviceUids), now });
}

const lock = statement<{ deviceUids: string; thresholdIds: string }, never>(
  "lock-for-evaluation",
  (p) => sql`SELECT lock_for_evaluation(${p.deviceUids}::text::uuid[], ${p.thresholdIds}::text::uuid[])`,
);

/** Prevents these devices and packs from being deleted, unassigned or changed before the commit. */
export function lockForEvaluation(deviceUids: readonly string[], thresholdIds: readonly string[]): BoundStatement {
  return lock.with({ deviceUids: unique(deviceUids), thresholdIds: unique(thresholdIds) });
}

function unique(ids: readonly string[]): string {
  return plainArray([...new Set(ids)]);
}
