/**
 * A second evaluator of rules with measures or several conditions. It keeps no state: for each reading it looks at all
 * earlier ones again. It shares no code with the real evaluator, which property tests compare with it.
 */
import type { MetricValue } from "../../telemetry/reading.ts";
import type { Condition } from "../condition.ts";
import type { Rule } from "../rule.ts";
import { anomaliesOf, type Evaluated, type SentReading, sideOf } from "./reference-evaluator.ts";

/** A reading that counts, with the place of the message's reading in the order of arrival. */
interface Counted extends SentReading {
  arrival: number;
  /** Whether it is newer than all readings of its metric before. */
  isFresh: boolean;
  /** Whether it is newer than all readings before. */
  isLatest: boolean;
}

export interface DerivedAnomaly {
  /** The readings that opened and resolved it. */
  openedBy: SentReading;
  resolvedBy: SentReading | null;
  occurrences: number;
  metric: string;
  value: MetricValue;
}

/** Returns the anomalies of a rule on a device that sent `messages` in this order. */
export function derivedAnomalies(
  rule: Rule,
  messages: readonly (readonly SentReading[])[],
  averageOf: (hour: number) => number | null,
): DerivedAnomaly[] {
  const conditions = [rule, ...(rule.and ?? rule.or ?? [])];
  const all = messages
    .flatMap((message) => message.toSorted((a, b) => a.time - b.time))
    .map((reading, arrival, sent): Counted => {
      const earlier = sent.slice(0, arrival);
      const isFresh = earlier.every(({ metric, time }) => metric !== reading.metric || time < reading.time);
      return { ...reading, arrival, isFresh, isLatest: earlier.every(({ time }) => time < reading.time) };
    });
  const hasAge = conditions.some(({ measure }) => measure?.kind === "age");
  const counted = all.filter(
    ({ metric, isFresh, isLatest }) =>
      (isFresh && conditions.some((each) => each.metric === metric)) || (hasAge && isLatest),
  );
  const steps = counted.flatMap((reading, step) => {
    const seen = counted.slice(0, step + 1);
    const evaluated = evaluatedAt(rule, conditions, seen, averageOf);
    return evaluated === null ? [] : [{ ...evaluated, reading }];
  });
  return anomaliesOf(rule, steps).map(({ openedIndex, resolvedIndex, occurrences }) => {
    const breaches = steps.slice(openedIndex, resolvedIndex ?? steps.length).filter(({ side }) => side === "breach");
    const { value, metric } = breaches.at(-1)!;
    const resolvedBy = resolvedIndex === null ? null : said(steps[resolvedIndex]!.reading);
    return { openedBy: said(steps[openedIndex]!.reading), resolvedBy, occurrences, metric, value };
  });
}

const said = ({ time, metric, value }: SentReading): SentReading => ({ time, metric, value });

type Step = Evaluated & { metric: string };

/** Evaluates the rule at the last of the readings. */
function evaluatedAt(
  rule: Rule,
  conditions: readonly Condition[],
  seen: readonly Counted[],
  averageOf: (hour: number) => number | null,
): Step | null {
  const time = Math.max(...seen.map((each) => each.time));
  const states = conditions.map((condition) => lastState(condition, seen, averageOf));
  const sides = states.map((state) => state?.side ?? null);
  const side = conditions.length === 1 ? (states[0]?.isNow ? sides[0]! : null) : combinedSide(rule, sides);
  if (side === null) return null;
  const breach = states.findIndex((state) => state?.side === "breach" && state.isNow);
  const shown = breach >= 0 ? breach : Math.max(0, sides.indexOf("breach"));
  const value = breach >= 0 ? states[breach]!.value : states[shown]?.since;
  return { time, side, value: value as MetricValue, metric: conditions[shown]!.metric };
}

function combinedSide(rule: Rule, sides: readonly (Evaluated["side"] | null)[]): Evaluated["side"] | null {
  const has = (side: Evaluated["side"]) => sides.includes(side);
  if (rule.or) return has("breach") ? "breach" : has("band") ? "band" : has("good") ? "good" : null;
  if (has("good")) return "good";
  if (sides.includes(null)) return null;
  return has("band") ? "band" : "breach";
}

interface State {
  side: Evaluated["side"];
  value: MetricValue;
  /** The value when it came to this side. */
  since: MetricValue;
  /** Whether the last reading decided it. */
  isNow: boolean;
}

function lastState(
  condition: Condition,
  seen: readonly Counted[],
  averageOf: (hour: number) => number | null,
): State | null {
  let state = null as State | null;
  for (let at = 0; at < seen.length; at++) {
    const value = derivedValue(condition, seen.slice(0, at + 1), averageOf);
    const side = value === null ? null : sideOf(condition, value);
    if (side !== null && value !== null) {
      const since: MetricValue = state?.side === side ? state.since : value;
      state = { side, value, since, isNow: true };
    } else if (state !== null) state.isNow = false;
  }
  return state;
}

/** Returns the value of the condition that the last of the readings gives it. */
function derivedValue(
  { metric, measure }: Condition,
  seen: readonly Counted[],
  averageOf: (hour: number) => number | null,
): MetricValue | null {
  const own = seen.filter((each) => each.metric === metric && each.isFresh);
  const now = seen.at(-1)!;
  if (measure?.kind === "age") {
    const from = own.at(-1)?.time ?? seen[0]!.time;
    return (Math.max(...seen.map(({ time }) => time)) - from) / 1e6;
  }
  if (now.metric !== metric || !now.isFresh) return null;
  if (measure === undefined) return now.value;
  if (typeof now.value !== "number") return null;
  if (measure.kind === "deviation") {
    const average = averageOf(Math.floor(now.time / 3_600e6));
    return average === null ? null : now.value - average;
  }
  const totals = own.flatMap(({ time, value }, at) => {
    if (typeof value !== "number") return [];
    const resets = own.slice(0, at + 1).map((each, n) => {
      const before = own[n - 1]?.value;
      const isReset = typeof each.value === "number" && typeof before === "number" && each.value < before;
      return measure.counter && isReset ? (before as number) : 0;
    });
    return [{ time, total: value + resets.reduce((sum, each) => sum + each, 0) }];
  });
  const slotOf = (time: number) => Math.floor(time / (measure.overSeconds * 1e5));
  const slot = slotOf(now.time);
  const from = totals
    .filter(({ time }, at) => at === 0 || slotOf(totals[at - 1]!.time) < slotOf(time))
    .findLast(({ time }) => slotOf(time) <= slot - 10);
  if (from === undefined || slotOf(from.time) < slot - 20) return null;
  const by = totals.at(-1)!.total - from.total;
  if (measure.kind === "change") return by;
  const unit = { second: 1e6, minute: 6e7, hour: 3.6e9 }[measure.per];
  return (by / (now.time - from.time)) * unit;
}
