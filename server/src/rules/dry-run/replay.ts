import type { RuleValue, Severity } from "../../anomalies/anomalies.ts";
import type { Database } from "../../db/database.ts";
import type { MetricValue } from "../../telemetry/telemetry.ts";
import type { Condition } from "../condition.ts";
import type { Given } from "../derived/condition-memory.ts";
import { type DerivedState, evaluateDerived, type Sent } from "../derived/derived-rule.ts";
import type { ReadyRule } from "../device-rules.ts";
import { evaluate, type Outcome, type RuleState } from "../evaluate-rule.ts";
import { readyFor } from "../ready-rule.ts";
import { conditionsOf, type Rule } from "../rule.ts";
import { messageOf } from "../rule-text.ts";
import { AveragesOfPeriod, type Period } from "./averages-of-period.ts";
import type { DryRunDevice } from "./dry-run-store.ts";
import { mergedReadings, type ReadingsAt } from "./merged-readings.ts";

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

/** A rule with its state on the device, which starts empty at the first reading of the period. */
type ReplayedRule = ReadyRule & {
  place: number;
  state: RuleState;
  progress: DerivedState;
  open: WouldBeAnomaly | undefined;
};

/** Evaluates the stored readings of a device with the evaluator of ingest, in the order of their times. */
export async function replayDevice(
  { db }: Pick<Database, "db">,
  device: DryRunDevice,
  rules: readonly Rule[],
  period: Period,
  result: ReplayResult,
  limits: ReplayLimits,
): Promise<void> {
  const replayed = rules.map((rule, place) => replayedRule(rule, place, device));
  const conditions = replayed.flatMap(({ rule }) => conditionsOf(rule));
  const hasOthers = conditions.some(({ measure }) => measure?.kind === "age");
  const metrics = [...new Set(conditions.map(({ metric }) => metric))];
  const averages = new AveragesOfPeriod(device.uid, conditions);
  const newest = new Map<string, Given["value"]>();
  const times = new Map<string, number>();
  const mayLoad = () => {
    result.cut ||= performance.now() >= limits.until;
    return !result.cut;
  };
  const query = { deviceUid: device.uid, metrics, hasOthers, ...period };
  for await (const { time, values } of mergedReadings(db, query, mayLoad)) {
    if (!hasRoom(values, result, limits)) return;
    if (!(await averages.loadFor(db, time, period, mayLoad))) return;
    const fresh = new Map<string, Given>();
    for (const [metric, value] of values) {
      fresh.set(metric, { value, previous: newest.get(metric) });
      newest.set(metric, value);
      times.set(metric, time);
    }
    const newestOf = (metric: string) => times.get(metric) ?? Number.NEGATIVE_INFINITY;
    const sent: Sent = { time, isLatest: true, fresh, newestOf, averageOf: averages.averageOf };
    for (const rule of replayed) replayRule(device, rule, sent, result, limits);
    if (result.cut) return;
  }
}

function replayedRule(rule: Rule, place: number, { metadata }: DryRunDevice): ReplayedRule {
  const progress = { memory: conditionsOf(rule).map(() => ({})), last: Number.NEGATIVE_INFINITY };
  return { ...readyFor(rule, metadata), place, state: { phase: "ok", since: 0 }, progress, open: undefined };
}

/**
 * Counts the readings of a message. A message without metrics of the rules counts as one reading. Sets `cut` and
 * returns false if the limit would be exceeded.
 */
function hasRoom(values: ReadingsAt["values"], result: ReplayResult, limits: ReplayLimits): boolean {
  const count = Math.max(1, values.size);
  result.cut ||= result.readings + count > limits.readings;
  if (!result.cut) result.readings += count;
  return !result.cut;
}

function replayRule(
  device: DryRunDevice,
  each: ReplayedRule,
  sent: Sent,
  result: ReplayResult,
  limits: ReplayLimits,
): void {
  const evaluated = evaluatedOf(each, sent);
  if (evaluated === undefined || evaluated.outcome === "nothing" || result.cut) return;
  const { outcome, value, condition } = evaluated;
  const at = new Date(sent.time / 1000);
  if (outcome === "opened") {
    result.cut ||= result.anomalies.length === limits.anomalies;
    if (result.cut) return;
    each.open = opened(device, each, at, { value: value!, condition });
    result.anomalies.push(each.open);
  } else if (each.open && outcome === "observed") {
    const { metric, value: limit } = condition;
    const occurrences = each.open.occurrences + 1;
    Object.assign(each.open, { metric, value, limit, lastObservedAt: at, occurrences });
  } else if (each.open) each.open.resolvedAt = at;
}

function evaluatedOf(
  each: ReplayedRule,
  sent: Sent,
): { outcome: Outcome; value: MetricValue | undefined; condition: Condition<RuleValue> } | undefined {
  if (each.derived) return evaluateDerived(each.derived, each.state, each.progress, sent);
  const given = sent.fresh.get(each.rule.metric);
  if (given === undefined) return undefined;
  const outcome = evaluate(each.compiled, each.state, sent.time, given.value);
  return { outcome, value: given.value, condition: each.rule };
}

function opened(
  device: DryRunDevice,
  { rule, place }: ReplayedRule,
  at: Date,
  { value, condition }: { value: MetricValue; condition: Condition<RuleValue> },
): WouldBeAnomaly {
  return {
    deviceId: device.id,
    rule: place,
    metric: condition.metric,
    value,
    limit: condition.value,
    severity: rule.severity,
    message: messageOf(rule),
    openedAt: at,
    lastObservedAt: at,
    occurrences: 1,
    resolvedAt: null,
  };
}
