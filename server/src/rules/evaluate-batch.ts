import type { MetricValue, PreparedMessage, TimedReading } from "../telemetry/telemetry.ts";
import type { Breaches, DeviceRule, DeviceRules, RuleTransition } from "./device-rules.ts";
import { evaluate, type Outcome } from "./evaluate-rule.ts";

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
  for (let index = 0; index < metrics.length; index++) {
    const metric = device.metrics.get(metrics[index]!);
    if (metric === undefined || time <= metric.newest) continue;
    metric.newest = time;
    for (const rule of metric.rules) evaluateValue(device.uid, rule, time, values[index]!, transitions);
    evaluations += metric.rules.length;
  }
  return evaluations;
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
  if (deviceRule.transition === undefined) {
    const wasOpen = phase === "open" || phase === "clearing";
    const open = wasOpen ? { value: undefined, occurrences: 0, isNew: false } : undefined;
    deviceRule.transition = {
      deviceUid,
      deviceRule,
      before: { phase, since },
      open,
      resolved: undefined,
      transient: undefined,
    };
    transitions.push(deviceRule.transition);
  }
  apply(deviceRule.transition, outcome, value);
}

function apply(transition: RuleTransition, outcome: Outcome, value: MetricValue): void {
  const { open } = transition;
  if (outcome === "opened") {
    transition.open = { value, occurrences: 1, isNew: true };
  } else if (open && outcome === "observed") {
    open.value = value;
    open.occurrences++;
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
