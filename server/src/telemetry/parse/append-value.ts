import { MAX_METRICS, type MetricValue, type Reading } from "../reading.ts";
import { type ReadingChecks, type Rejection, tooManyMetrics, tooManyReadings } from "./rejection.ts";

/** Adds a value to the last reading if that has the same time and lacks this metric, otherwise to `reading`. */
export function appendValue(
  into: Reading[],
  checks: ReadingChecks,
  reading: Reading,
  name: string,
  value: MetricValue,
): Rejection | undefined {
  const last = into.at(-1);
  const sameTime = last !== undefined && last.time === reading.time && last.timeReplaced === reading.timeReplaced;
  // Readings whose time is replaced differ only by their order, so each stays separate.
  const isAdded = last === reading || (sameTime && !reading.timeReplaced);
  const target = isAdded && !last!.metrics.includes(name) ? last! : reading;
  // Checked this early because with thousands of names the search above would take long.
  if (target.metrics.length === MAX_METRICS) return tooManyMetrics(`more than ${MAX_METRICS}`);
  if (target === reading && last !== reading && into.push(reading) > checks.maxReadings) {
    return tooManyReadings(`more than ${checks.maxReadings}`, checks);
  }
  target.metrics.push(name);
  target.values.push(value);
  return undefined;
}

/** Returns an empty reading at the server's time. */
export function readingNow(): Reading {
  return { time: undefined, timeReplaced: false, metrics: [], values: [] };
}
