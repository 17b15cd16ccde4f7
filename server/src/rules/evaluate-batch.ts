import type { RuleValue } from "../anomalies/anomalies.ts";
import type { MetricValue, PreparedMessage, TimedReading } from "../telemetry/telemetry.ts";
import type { Condition } from "./condition.ts";
import { averageIn } from "./derived/averages.ts";
import type { Given } from "./derived/condition-memory.ts";
import { evaluateDerived, type Sent } from "./derived/derived-rule.ts";
import type { Breaches, DerivedDeviceRule, DeviceRule, DeviceRules, RuleTransition } from "./device-rules.ts";
import { evaluate, type Outcome, type RuleState } from "./evaluate-rule.ts";

/**
 * The number of evaluations (a value by a rule) after which other work gets a turn of the event loop: about a
 * millisecond.
 */
const EVALUATIONS_PER_TURN = 25_000;

/** The effects of a batch of messages on the rules of its devices. */
export interface BatchTransitions {
  /** One entry for each rule and device whose state or anomaly changed. */
  rules: RuleTransition[];
  /** Devices with an anomaly for their silence that sent a message again. */
  silenceEnded: string[];
}

/**
 * Evaluates the readings of `messages` in order of arrival, and by time within a message. A reading counts only if it
 * is newer than all evaluated ones of its metric, so late and repeated data changes nothing.
 *
 * @param devices changed in place to their state after the batch
 */
export async function evaluateBatch(
  devices: ReadonlyMap<string, DeviceRules>,
  messages: readonly PreparedMessage[],
): Promise<BatchTransitions> {
  const transitions: BatchTransitions = { rules: [], silenceEnded: [] };
  let evaluations = 0;
  for (const message of messages) {
    const device = devices.get(message.deviceUid);
    if (device === undefined) continue;
    if (device.silent) {
      device.silent = false;
      transitions.silenceEnded.push(device.uid);
    }
    if (device.metrics.size === 0) continue;
    for (const reading of byTime(message.evaluated ?? message.readings)) {
      evaluations += evaluateReading(device, reading, transitions.rules);
      if (evaluations < EVALUATIONS_PER_TURN) continue;
      evaluations = 0;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  for (const { deviceRule } of transitions.rules) deviceRule.transition = undefined;
  return transitions;
}

/** @returns the number of evaluations */
function evaluateReading(
  device: DeviceRules,
  { time, metrics, values }: TimedReading,
  transitions: RuleTransition[],
): number {
  let evaluations = 0;
  const fresh = device.derived && new Map<string, Given>();
  for (let index = 0; index < metrics.length; index++) {
    const metric = device.metrics.get(metrics[index]!);
    if (metric === undefined || time <= metric.newest) continue;
    metric.newest = time;
    if (fresh !== undefined) {
      fresh.set(metrics[index]!, { value: values[index]!, previous: metric.value });
      metric.value = values[index]!;
    }
    for (const rule of metric.rules) evaluateValue(device.uid, rule, time, values[index]!, transitions);
    evaluations += metric.rules.length;
  }
  if (fresh !== undefined) evaluations += evaluateRemembering(device, time, fresh, transitions);
  return evaluations;
}

/** Evaluates the rules with a memory. @returns the number of evaluations */
function evaluateRemembering(
  device: DeviceRules,
  time: number,
  fresh: ReadonlyMap<string, Given>,
  transitions: RuleTransition[],
): number {
  const derived = device.derived!;
  const isLatest = time > derived.newest;
  if (isLatest) derived.newest = time;
  const sent: Sent = {
    time,
    isLatest,
    fresh,
    newestOf: (metric) => device.metrics.get(metric)!.newest,
    averageOf: (condition) => averageIn(derived.averages, condition),
  };
  for (const rule of derived.rules) remember(device.uid, rule, sent, transitions);
  return derived.rules.length;
}

function remember(deviceUid: string, deviceRule: DerivedDeviceRule, sent: Sent, transitions: RuleTransition[]): void {
  const { state, derived, progress } = deviceRule;
  const before = { ...state };
  const evaluated = evaluateDerived(derived, state, progress, sent);
  if (evaluated === undefined) return;
  const { outcome, value, condition, changed } = evaluated;
  if (!changed && outcome === "nothing" && state.phase === before.phase && state.since === before.since) return;
  const transition = transitionOf(deviceUid, deviceRule, before, transitions);
  transition.remembers ||= changed;
  apply(transition, outcome, value, condition);
}

function evaluateValue(
  deviceUid: string,
  deviceRule: DeviceRule,
  time: number,
  value: MetricValue,
  transitions: RuleTransition[],
): void {
  const { state, compiled } = deviceRule;
  const { phase, since } = state;
  const outcome = evaluate(compiled, state, time, value);
  if (outcome === "nothing" && state.phase === phase && state.since === since) return;
  apply(deviceRule.transition ?? transitionOf(deviceUid, deviceRule, { phase, since }, transitions), outcome, value);
}

/** Returns the transition of a rule in this batch, a new one at its first change. */
function transitionOf(
  deviceUid: string,
  deviceRule: DeviceRule | DerivedDeviceRule,
  before: RuleState,
  transitions: RuleTransition[],
): RuleTransition {
  if (deviceRule.transition !== undefined) return deviceRule.transition;
  const wasOpen = before.phase === "open" || before.phase === "clearing";
  const open = wasOpen ? { value: undefined, occurrences: 0, isNew: false } : undefined;
  const unchanged = { remembers: false, resolved: undefined, transient: undefined };
  deviceRule.transition = { deviceUid, deviceRule, before, open, ...unchanged };
  transitions.push(deviceRule.transition);
  return deviceRule.transition;
}

function apply(
  transition: RuleTransition,
  outcome: Outcome,
  value: MetricValue | undefined,
  condition?: Condition<RuleValue>,
): void {
  const { open } = transition;
  if (outcome === "opened") {
    transition.open = { value, occurrences: 1, isNew: true, ...(condition ? { condition } : {}) };
  } else if (open && outcome === "observed") {
    open.value = value;
    open.occurrences++;
    if (condition) open.condition = condition;
  } else if (open && outcome === "resolved") {
    if (open.isNew) transition.transient = merged(transition.transient, open);
    else transition.resolved = open;
    transition.open = undefined;
  }
}

/** Merges the newer breaches with earlier ones, adding up their occurrences. */
function merged(earlier: Breaches | undefined, newer: Breaches): Breaches {
  return earlier === undefined ? newer : { ...newer, occurrences: earlier.occurrences + newer.occurrences };
}

/** Sorts readings by time. Buffered readings may come in any order, but are nearly always sorted already. */
function byTime(readings: readonly TimedReading[]): readonly TimedReading[] {
  for (let index = 1; index < readings.length; index++) {
    if (readings[index]!.time < readings[index - 1]!.time) return readings.toSorted((a, b) => a.time - b.time);
  }
  return readings;
}
