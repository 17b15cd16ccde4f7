import { HOUR_US } from "../chunks/device-hours-store.ts";
import { eachReading, type Source } from "../chunks/each-reading.ts";
import type { HourSlice, SliceRows } from "../chunks/hour-slices.ts";
import { type Bucket, Buckets } from "./buckets.ts";
import { encodeMinutes } from "./minutes-codec.ts";

const MINUTE_US = 60_000_000;

/** The hours of a metric whose readings were stored under one retention. */
export interface Aggregates {
  which: number;
  metric: string;
  retentionDays: number;
  hours: readonly Bucket[];
}

type Numbers = Source & {
  which: number;
  metric: string;
  retentionDays: number;
  /** Absent if the values are not numbers. */
  numbers: Float64Array | undefined;
  /** Stores minutes of the metric with its chunk. */
  keep: (minutes: Uint8Array) => void;
};

/** The content to store for a shape in a slice: its rows, and the minutes of metrics. */
export interface SliceChunk extends SliceRows {
  from: number;
  /** One entry per metric. If several shapes share a metric, one of them has the minutes of all. */
  minutes: (Uint8Array | undefined)[];
}

/** The minutes of a metric that are stored with a chunk. */
export interface StoredMinutes {
  metric: string;
  retentionDays: number;
  minutes: readonly Bucket[];
}

interface Minutes {
  which: number;
  metric: string;
  retentionDays: number;
  minutes: Buckets;
}

/** Computes the minutes and hours of devices, slice by slice. */
export class HourAggregates {
  readonly #found = new Map<string, Minutes>();

  /** Adds a slice, after the earlier ones of its hour. @returns the content to store for it */
  add(slice: HourSlice): SliceChunk[] {
    const hour = Math.floor(slice.from / HOUR_US) * HOUR_US;
    const chunks = slice.shapes.map((shape): SliceChunk => {
      return { ...shape, from: slice.from, minutes: shape.metrics.map(() => undefined) };
    });
    for (const ofMetric of Map.groupBy(chunks.flatMap(numbersOf), ({ metric }) => metric).values()) {
      const { which, metric } = ofMetric[0]!;
      for (const [retentionDays, { all }] of minutesOfSlice(ofMetric)) {
        const minutes = this.#minutesOf(which, metric, retentionDays);
        for (const minute of all) minutes.merge(minute);
        const first = ofMetric.find((of) => of.numbers && of.retentionDays === retentionDays);
        first?.keep(encodeMinutes(all, hour));
      }
    }
    return chunks;
  }

  /** Adds stored minutes of the first hour, after those of earlier chunks. */
  addStored({ metric, retentionDays, minutes }: StoredMinutes): void {
    const known = this.#minutesOf(0, metric, retentionDays);
    for (const minute of minutes) known.merge(minute);
  }

  #minutesOf(which: number, metric: string, retentionDays: number): Buckets {
    const key = `${which} ${retentionDays} ${metric}`;
    const known = this.#found.get(key);
    if (known) return known.minutes;
    const minutes = new Buckets(MINUTE_US);
    this.#found.set(key, { which, metric, retentionDays, minutes });
    return minutes;
  }

  get all(): Aggregates[] {
    return [...this.#found.values()].map(({ minutes, ...of }) => {
      const hours = new Buckets(HOUR_US);
      for (const minute of minutes.all) hours.merge(minute);
      return { ...of, hours: hours.all };
    });
  }
}

/** Computes the minutes of one metric, by the retention under which their readings were stored. */
function minutesOfSlice(sources: readonly Numbers[]): Map<number, Buckets> {
  const found = new Map<number, Buckets>();
  eachReading(sources, ({ retentionDays, times, numbers }, at) => {
    if (numbers === undefined) return;
    const minutes = found.get(retentionDays) ?? new Buckets(MINUTE_US);
    found.set(retentionDays, minutes);
    minutes.add(times[at]!, numbers[at]!);
  });
  return found;
}

function numbersOf({ which, metrics, kinds, retentionDays, rows, minutes }: SliceChunk): Numbers[] {
  const { times, seqs } = rows;
  return metrics.map((metric, place) => {
    const numbers = kinds[place] === "n" ? rows.numbers[place] : undefined;
    const keep = (packed: Uint8Array) => {
      minutes[place] = packed;
    };
    return { which, metric, retentionDays, times, seqs, numbers, keep };
  });
}
