import type { MetricValue, PreparedMessage } from "../telemetry/telemetry.ts";
import type { Found, WatchedDevice, WatchedMetric, WatchedRule } from "./device-rules.ts";
import { evaluate, type Outcome } from "./evaluate-rule.ts";

/** What a batch of messages means to the rules of its devices. */
export interface Judgement {
  /** Every rule whose state or anomaly it touched. */
  found: Found[];
  /** Devices that spoke again after a silence that is an anomaly. */
  spokeAgain: string[];
}

type TimedReading = PreparedMessage["readings"][number];

/**
 * Judges the readings of `messages` in the order they came, those of one message by their times. Only what is newer than
 * everything judged of its metric counts, so that late and repeated data changes nothing.
 *
 * @param devices changed in place: what they stand at after the batch
 * @param batch a number of this batch alone
 */
export function judgeBatch(
  devices: ReadonlyMap<string, WatchedDevice>,
  messages: readonly PreparedMessage[],
  batch: number,
): Judgement {
  const judgement: Judgement = { found: [], spokeAgain: [] };
  for (const message of messages) {
    const device = devices.get(message.deviceUid);
    if (device === undefined) continue;
    if (device.silent) {
      device.silent = false;
      judgement.spokeAgain.push(device.uid);
    }
    if (device.metrics.size === 0) continue;
    for (const reading of byTime(message.readings)) judgeReading(device, reading, batch, judgement.found);
  }
  for (const { watched } of judgement.found) watched.found = undefined;
  return judgement;
}

function judgeReading(
  device: WatchedDevice,
  { time, metrics, values }: TimedReading,
  batch: number,
  found: Found[],
): void {
  for (let index = 0; index < metrics.length; index++) {
    const metric = device.metrics.get(metrics[index]!);
    if (metric === undefined || time <= metric.newest) continue;
    if (metric.batch !== batch) {
      metric.batch = batch;
      metric.follows = metric.newest;
    }
    metric.newest = time;
    for (const rule of metric.rules) judgeValue(device.uid, rule, time, values[index]!, found);
  }
}

function judgeValue(deviceUid: string, watched: WatchedRule, time: number, value: MetricValue, found: Found[]): void {
  const { state, judge } = watched;
  const { phase, since } = state;
  const outcome = evaluate(judge, state, time, value);
  if (outcome === "nothing" && state.phase === phase && state.since === since) return;
  if (watched.found === undefined) {
    const wasOpen = phase === "open" || phase === "clearing";
    const current = wasOpen ? { value: undefined, occurrences: 0, fresh: false } : undefined;
    watched.found = { deviceUid, watched, before: { phase, since }, current, ended: undefined, passed: [] };
    found.push(watched.found);
  }
  note(watched.found, outcome, value);
}

function note(found: Found, outcome: Outcome, value: MetricValue): void {
  const { current } = found;
  if (outcome === "opened") {
    found.current = { value, occurrences: 1, fresh: true };
  } else if (current && outcome === "observed") {
    current.value = value;
    current.occurrences++;
  } else if (current && outcome === "resolved") {
    if (current.fresh) found.passed.push(current);
    else found.ended = current;
    found.current = undefined;
  }
}

/** Buffered readings may come in any order; nearly always they are in order already. */
function byTime(readings: readonly TimedReading[]): readonly TimedReading[] {
  for (let index = 1; index < readings.length; index++) {
    if (readings[index]!.time < readings[index - 1]!.time) return readings.toSorted((a, b) => a.time - b.time);
  }
  return readings;
}

/**
 * What the newest row of a metric in `batch` took for the newest before it: `undefined` where it was not judged, minus
 * infinity where there was none.
 */
export function followsOf(metric: WatchedMetric | undefined, time: number, batch: number): number | undefined {
  return metric !== undefined && metric.batch === batch && metric.newest === time ? metric.follows : undefined;
}
