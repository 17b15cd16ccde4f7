import { eachReading, type Source } from "../chunks/each-reading.ts";
import type { EarlierNumbers, ShapeHour } from "../chunks/hour-rows-store.ts";
import { type Bucket, Buckets } from "./buckets.ts";

const MINUTE_US = 60_000_000;
const HOUR_US = 60 * MINUTE_US;
/** Below those of all messages. */
const EARLIER_SEQ = -1;

/** The minutes and hours of a metric of which readings were stored under one retention. */
export interface Aggregates {
  which: number;
  metric: string;
  retentionDays: number;
  minutes: readonly Bucket[];
  hours: readonly Bucket[];
}

type Numbers = Source & {
  which: number;
  metric: string;
  retentionDays: number;
  /** Absent where the values are none. */
  numbers: Float64Array | undefined;
};

/** Computes the minutes and hours of what devices have in some hours. */
export function aggregate(loaded: readonly ShapeHour[], earlier: readonly EarlierNumbers[]): Aggregates[] {
  const sources = [...loaded.flatMap(numbersOf), ...earlier.map((numbers) => ({ ...numbers, seqs: EARLIER_SEQ }))];
  const found: Aggregates[] = [];
  for (const ofMetric of Map.groupBy(sources, ({ which, metric }) => `${which} ${metric}`).values()) {
    const parts = new Map<number, Buckets>();
    eachReading(ofMetric, ({ retentionDays, times, numbers }, at) => {
      const number = numbers?.[at] ?? Number.NaN;
      if (Number.isNaN(number)) return;
      const minutes = parts.get(retentionDays) ?? new Buckets(MINUTE_US);
      parts.set(retentionDays, minutes);
      minutes.add(times[at]!, number);
    });
    const { which, metric } = ofMetric[0]!;
    for (const [retentionDays, { all: minutes }] of parts) {
      const hours = new Buckets(HOUR_US);
      for (const minute of minutes) hours.merge({ ...minute, at: Math.floor(minute.at / HOUR_US) * HOUR_US });
      found.push({ which, metric, retentionDays, minutes, hours: hours.all });
    }
  }
  return found;
}

function numbersOf({ which, metrics, kinds, retentionDays, rows }: ShapeHour): Numbers[] {
  const { times, seqs } = rows;
  return metrics.map((metric, place) => {
    const numbers = kinds[place] === "n" ? rows.numbers[place] : undefined;
    return { which, metric, retentionDays, times, seqs, numbers };
  });
}
