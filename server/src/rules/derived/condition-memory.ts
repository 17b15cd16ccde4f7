import type { MetricValue } from "../../telemetry/telemetry.ts";
import type { Side } from "../evaluate-rule.ts";
import type { Measure, RateMeasure } from "../measure.ts";
import { changeOf, type History, isSame } from "./history.ts";

export const HOUR_US = 3_600_000_000;

/** The state of a condition between readings, in addition to the newest one of its metric. Stored as JSON. */
export interface ConditionMemory {
  /** The side of the last value, and the first value on that side. Stored if the rule has several conditions. */
  side?: Exclude<Side, undefined>;
  value?: MetricValue;
  history?: History;
  /** The first time at which the device was watched, for a metric that it has never sent; microseconds since 1970. */
  first?: number;
  /** The hour whose average is known, counted since 1970, and the average: null without readings. */
  hour?: number;
  average?: number | null;
}

/** Returns the device's average for an hour, counted since 1970: null without readings. */
export type AverageOf = (hour: number) => number | null;

/** A reading of the condition's metric. */
export interface Given {
  value: MetricValue;
  /** The value of the reading before. */
  previous: MetricValue | undefined;
}

/**
 * Returns the number that a measure derives, or the value itself without a measure; `undefined` if there is none.
 *
 * @param memory changed in place
 * @param at the time of the reading, in microseconds since 1970
 * @returns also whether the memory has changed
 */
export function measured(
  measure: Exclude<Measure, { kind: "age" }> | undefined,
  memory: ConditionMemory,
  at: number,
  { value, previous }: Given,
  averageOf: AverageOf,
): { value: MetricValue | undefined; changed: boolean } {
  if (measure === undefined) return { value, changed: false };
  if (typeof value !== "number") return { value: undefined, changed: false };
  if (measure.kind === "deviation") {
    const hour = Math.floor(at / HOUR_US);
    const changed = memory.hour !== hour;
    if (changed) Object.assign(memory, { hour, average: averageOf(hour) });
    const { average = null } = memory;
    return { value: average === null ? undefined : value - average, changed };
  }
  const reading = { time: at, number: value, previous: typeof previous === "number" ? previous : undefined };
  const over = { overUs: measure.overSeconds * 1_000_000, counter: measure.counter === true };
  const { history, change } = changeOf(memory.history, reading, over);
  const changed = !isSame(memory.history, history);
  memory.history = history;
  if (change === undefined) return { value: undefined, changed };
  return { value: measure.kind === "rate" ? (change.by / change.us) * US_PER[measure.per] : change.by, changed };
}

const US_PER: Record<RateMeasure["per"], number> = { second: 1_000_000, minute: 60_000_000, hour: HOUR_US };

/**
 * Returns the seconds since the newest reading of the metric, or since the device was first watched.
 *
 * @param newest the time of that reading; `-Infinity` without one
 */
export function ageOf(memory: ConditionMemory, at: number, newest: number): { value: number; changed: boolean } {
  if (Number.isFinite(newest)) {
    const changed = memory.first !== undefined;
    delete memory.first;
    return { value: (at - newest) / 1_000_000, changed };
  }
  const changed = memory.first === undefined;
  memory.first ??= at;
  return { value: (at - memory.first) / 1_000_000, changed };
}
