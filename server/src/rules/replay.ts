import type { RuleValue, Severity } from "../anomalies/anomalies.ts";
import type { Database } from "../db/database.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import { type DryRunDevice, readStored } from "./dry-run-store.ts";
import { evaluate, type Judge, judgeOf, type RuleState } from "./evaluate-rule.ts";
import type { Rule } from "./rule.ts";
import { messageOf } from "./rule-text.ts";

/** An anomaly that would have been. All times are the device's. */
export interface WouldBeAnomaly {
  deviceId: string;
  /** The rule's place in the pack, from 0. */
  rule: number;
  metric: string;
  value: MetricValue;
  limit: RuleValue;
  severity: Severity;
  message: string;
  openedAt: Date;
  lastObservedAt: Date;
  occurrences: number;
  /** `null` when it would last beyond the period. */
  resolvedAt: Date | null;
}

export interface ReplayLimits {
  readings: number;
  anomalies: number;
}

/** What was found so far; `cut` once a limit is met, and then nothing more is read. */
export interface Replayed {
  anomalies: WouldBeAnomaly[];
  readings: number;
  cut: boolean;
}

interface Replaying {
  rule: Rule;
  place: number;
  judge: Judge;
  state: RuleState;
  open: WouldBeAnomaly | undefined;
}

const READINGS_AT_ONCE = 10_000;

/** Judges the stored readings of a device by the evaluator of the ingest path, metric by metric and page by page. */
export async function replayDevice(
  { db }: Pick<Database, "db">,
  device: DryRunDevice,
  rules: readonly Rule[],
  period: { from: Date; to: Date },
  found: Replayed,
  limits: ReplayLimits,
): Promise<void> {
  for (const [metric, watching] of byMetric(rules)) {
    let after = Number.NEGATIVE_INFINITY;
    for (let more = true; more && !found.cut; ) {
      const atMost = Math.min(READINGS_AT_ONCE, limits.readings - found.readings + 1);
      const readings = await readStored(db, device, metric, period, after, atMost);
      for (const { time, value } of readings) judge(device, watching, time, value, found, limits);
      after = readings.at(-1)?.time ?? after;
      more = readings.length === atMost;
    }
  }
}

function byMetric(rules: readonly Rule[]): Map<string, Replaying[]> {
  const metrics = new Map<string, Replaying[]>();
  rules.forEach((rule, place) => {
    const replaying: Replaying = {
      rule,
      place,
      judge: judgeOf(rule),
      state: { phase: "ok", since: 0 },
      open: undefined,
    };
    metrics.set(rule.metric, [...(metrics.get(rule.metric) ?? []), replaying]);
  });
  return metrics;
}

function judge(
  device: DryRunDevice,
  watching: readonly Replaying[],
  time: number,
  value: MetricValue,
  found: Replayed,
  limits: ReplayLimits,
): void {
  if (found.cut) return;
  if (found.readings === limits.readings) {
    found.cut = true;
    return;
  }
  found.readings++;
  for (const each of watching) {
    const outcome = evaluate(each.judge, each.state, time, value);
    if (outcome === "nothing") continue;
    const at = new Date(time / 1000);
    if (outcome === "opened") {
      found.cut ||= found.anomalies.length === limits.anomalies;
      if (found.cut) return;
      each.open = opened(device, each, at, value);
      found.anomalies.push(each.open);
    } else if (each.open && outcome === "observed") {
      Object.assign(each.open, { value, lastObservedAt: at, occurrences: each.open.occurrences + 1 });
    } else if (each.open) each.open.resolvedAt = at;
  }
}

function opened(device: DryRunDevice, { rule, place }: Replaying, at: Date, value: MetricValue): WouldBeAnomaly {
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
