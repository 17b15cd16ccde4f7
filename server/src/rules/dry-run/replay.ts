import type { RuleValue, Severity } from "../../anomalies/anomalies.ts";
import type { Database } from "../../db/database.ts";
import { type MetricValue, readStoredReadings, type StoredReading } from "../../telemetry/telemetry.ts";
import { type CompiledRule, compileRule, evaluate, type RuleState } from "../evaluate-rule.ts";
import type { Rule } from "../rule.ts";
import { messageOf } from "../rule-text.ts";
import type { DryRunDevice } from "./dry-run-store.ts";

/** An anomaly that the rules would have opened. All times are device times. */
export interface WouldBeAnomaly {
  deviceId: string;
  /** The zero-based place of the rule in the pack. */
  rule: number;
  metric: string;
  value: MetricValue;
  limit: RuleValue;
  severity: Severity;
  message: string;
  openedAt: Date;
  lastObservedAt: Date;
  occurrences: number;
  /** `null` if it was not resolved within the period. */
  resolvedAt: Date | null;
}

export interface ReplayLimits {
  readings: number;
  anomalies: number;
  /** The time, in `performance.now()` milliseconds, after which no more readings are loaded. */
  until: number;
}

/** The anomalies so far. `cut` is set once a limit is reached; no more readings are loaded then. */
export interface ReplayResult {
  anomalies: WouldBeAnomaly[];
  readings: number;
  cut: boolean;
}

interface ReplayedRule {
  rule: Rule;
  place: number;
  compiled: CompiledRule;
  state: RuleState;
  open: WouldBeAnomaly | undefined;
}

const PAGE = 10_000;

/** Evaluates the stored readings of a device with the evaluator of ingest, metric by metric and page by page. */
export async function replayDevice(
  { db }: Pick<Database, "db">,
  device: DryRunDevice,
  rules: readonly Rule[],
  { from, to, now }: { from: Date; to: Date; now: Date },
  result: ReplayResult,
  limits: ReplayLimits,
): Promise<void> {
  for (const [metric, ruled] of byMetric(rules)) {
    let after = Number.NEGATIVE_INFINITY;
    for (let more = true; more; ) {
      result.cut ||= performance.now() >= limits.until;
      if (result.cut) return;
      const limit = Math.min(PAGE, limits.readings - result.readings + 1);
      const readings = await readStoredReadings(db, { deviceUid: device.uid, metric, from, to, now, after, limit });
      for (const reading of readings) replayReading(device, ruled, reading, result, limits);
      after = readings.at(-1)?.time ?? after;
      more = readings.length === limit;
    }
  }
}

function byMetric(rules: readonly Rule[]): Map<string, ReplayedRule[]> {
  const metrics = new Map<string, ReplayedRule[]>();
  rules.forEach((rule, place) => {
    const replayed: ReplayedRule = {
      rule,
      place,
      compiled: compileRule(rule),
      state: { phase: "ok", since: 0 },
      open: undefined,
    };
    metrics.set(rule.metric, [...(metrics.get(rule.metric) ?? []), replayed]);
  });
  return metrics;
}

function replayReading(
  device: DryRunDevice,
  rules: readonly ReplayedRule[],
  { time, value }: StoredReading,
  result: ReplayResult,
  limits: ReplayLimits,
): void {
  if (result.cut) return;
  if (result.readings === limits.readings) {
    result.cut = true;
    return;
  }
  result.readings++;
  for (const each of rules) {
    const outcome = evaluate(each.compiled, each.state, time, value);
    if (outcome === "nothing") continue;
    const at = new Date(time / 1000);
    if (outcome === "opened") {
      result.cut ||= result.anomalies.length === limits.anomalies;
      if (result.cut) return;
      each.open = opened(device, each, at, value);
      result.anomalies.push(each.open);
    } else if (each.open && outcome === "observed") {
      Object.assign(each.open, { value, lastObservedAt: at, occurrences: each.open.occurrences + 1 });
    } else if (each.open) each.open.resolvedAt = at;
  }
}

function opened(device: DryRunDevice, { rule, place }: ReplayedRule, at: Date, value: MetricValue): WouldBeAnomaly {
  return {
    deviceId: device.id,
    rule: place,
    metric: rule.metric,
    value,
    limit: rule.value,
    severity: rule.severity,
    message: messageOf(rule),
    openedAt: at,
    lastObservedAt: at,
    occurrences: 1,
    resolvedAt: null,
  };
}
