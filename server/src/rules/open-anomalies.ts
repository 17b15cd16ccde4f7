import type { AnomalyRow } from "../anomalies/anomalies.ts";
import {
  type Anomaly,
  holdJudged,
  type ObservedRow,
  openAnomalyRows,
  resolveAnomalyRows,
  tellJudges,
  toAnomaly,
  type Watch,
} from "../anomalies/anomalies.ts";
import type { Database } from "../db/database.ts";
import { inTransaction, runStatement } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import type { Rule } from "./rule.ts";
import { messageOf } from "./rule-text.ts";

export type { Watch } from "../anomalies/anomalies.ts";

export interface ObserveDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
}

/** A value of a device that breaks a rule of a pack put on it. */
export interface Observation {
  deviceUid: string;
  thresholdId: string;
  rule: Rule;
  value: MetricValue;
}

/** An anomaly after a batch of observations. */
export interface ObservedAnomaly extends Anomaly {
  /** Whether this batch opened it; else it counts further. */
  isNew: boolean;
}

/**
 * Opens an anomaly for every device and rule that has no unresolved one, and counts further observations into the one
 * there is (last value, time, occurrences): one upsert for all, so that simultaneous batches open one between them.
 * What was observed of a device that is deleted meanwhile is left out.
 *
 * @param observations in the order they were made; of one device and rule the last value stays
 */
export async function openAnomalies(
  deps: ObserveDeps,
  observations: readonly Observation[],
): Promise<ObservedAnomaly[]> {
  if (observations.length === 0) return [];
  const now = deps.clock.now();
  const rows = gather(observations, () => deps.ids.uuid(now));
  const proposed = new Set(rows.map(({ id }) => id));
  const stored = await inTransaction(deps.database.db, async (tx) => {
    const [uids, packs] = [rows.map((row) => row.device_uid), rows.map((row) => row.threshold_id)];
    await runStatement(tx, holdJudged(uids, packs));
    return await runStatement<AnomalyRow>(tx, openAnomalyRows(rows, now));
  });
  return stored.map((row) => ({ ...toAnomaly(row), isNew: proposed.has(row.id) }));
}

/**
 * Ends the unresolved anomalies of these devices and rules, acknowledged or not.
 *
 * Where the values are not well, the next one opens another.
 *
 * @param actor as in `resolvedBy`
 * @returns those it ended
 */
export async function resolveAnomalies(
  deps: ObserveDeps,
  actor: string,
  watches: readonly Watch[],
): Promise<Anomaly[]> {
  if (watches.length === 0) return [];
  const now = deps.clock.now();
  return await inTransaction(deps.database.db, async (tx) => {
    const rows = await runStatement<AnomalyRow>(tx, resolveAnomalyRows(watches, actor, now));
    await runStatement(tx, tellJudges(watches.map(({ deviceUid }) => deviceUid)));
    return rows.map(toAnomaly);
  });
}

/** One row a device and rule: a statement cannot touch a row twice. */
function gather(observations: readonly Observation[], newId: () => string): ObservedRow[] {
  const rows = new Map<string, ObservedRow>();
  for (const observation of observations) {
    const key = `${observation.deviceUid} ${observation.rule.id}`;
    const row = rows.get(key);
    if (row) {
      row.value = observation.value;
      row.times++;
    } else rows.set(key, observedRow(newId(), observation, 1));
  }
  return [...rows.values()];
}

/** `times` breaches of one rule, of which `value` is the last. */
export function observedRow(
  id: string,
  { deviceUid, thresholdId, rule, value }: Observation,
  times: number,
): ObservedRow {
  return {
    id,
    device_uid: deviceUid,
    threshold_id: thresholdId,
    rule_id: rule.id,
    metric: rule.metric,
    value,
    breached: rule.value,
    severity: rule.severity,
    message: messageOf(rule),
    times,
  };
}
