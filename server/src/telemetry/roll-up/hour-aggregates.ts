import { HOUR_US } from "../chunks/device-hours-store.ts";
import { eachReading, type Source } from "../chunks/each-reading.ts";
import type { EarlierNumbers } from "../chunks/earlier-numbers-store.ts";
import type { HourPart, PartRows } from "../chunks/hour-parts.ts";
import { placeOf } from "../chunks/hour-rows.ts";
import { type Bucket, Buckets } from "./buckets.ts";
import { encodeMinutes } from "./minutes-codec.ts";

const MINUTE_US = 60_000_000;
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
  /** Has minutes of the metric stored with its chunk. Absent for numbers in the form of before, which are in none. */
  keep?: (minutes: Uint8Array) => void;
};

/** What is stored of a shape in a part: its rows, and the minutes of metrics. */
export interface PartChunk extends PartRows {
  from: number;
  /** An entry a metric. Of a metric that several shapes have, the minutes of all of them stand with one. */
  minutes: (Uint8Array | undefined)[];
}

/** The minutes of a metric that stand with a chunk. */
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

/** Computes the minutes and hours of what devices have in some hours, part by part. */
export class HourAggregates {
  readonly #earlier: readonly EarlierNumbers[];
  readonly #found = new Map<string, Minutes>();

  /** @param earlier of all of the hours */
  constructor(earlier: readonly EarlierNumbers[]) {
    this.#earlier = earlier;
  }

  /** Adds a part, after those before it in its hour. @returns what is stored of it */
  add(part: HourPart): PartChunk[] {
    const hour = Math.floor(part.from / HOUR_US) * HOUR_US;
    const chunks = part.shapes.map((shape): PartChunk => {
      return { ...shape, from: part.from, minutes: shape.metrics.map(() => undefined) };
    });
    const sources = [...chunks.flatMap(numbersOf), ...this.#earlier.flatMap((all) => earlierWithin(all, part))];
    for (const ofMetric of Map.groupBy(sources, ({ metric }) => metric).values()) {
      const { which, metric } = ofMetric[0]!;
      for (const [retentionDays, { all }] of minutesOfPart(ofMetric)) {
        const minutes = this.#minutesOf(which, metric, retentionDays);
        for (const minute of all) minutes.merge(minute);
        const first = ofMetric.find((of) => of.keep && of.numbers && of.retentionDays === retentionDays);
        first?.keep?.(encodeMinutes(all, hour));
      }
    }
    return chunks;
  }

  /** Adds minutes of the first of the hours that are stored with a chunk, after those of the chunks before it. */
  addStored({ metric, retentionDays, minutes }: StoredMinutes): void {
    const known = this.#minutesOf(0, metric, retentionDays);
    for (const minute of minutes) known.merge(minute);
  }

  /** Whether the hour has readings in the form of before, which are in no chunk. */
  hasEarlier(which: number): boolean {
    return this.#earlier.some((earlier) => earlier.which === which);
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
    return [...this.#found.values()].map(({ minutes: { all: minutes }, ...of }) => {
      const hours = new Buckets(HOUR_US);
      for (const minute of minutes) hours.merge(minute);
      return { ...of, minutes, hours: hours.all };
    });
  }
}

/** The minutes of one metric, by the retention under which their readings were stored. */
function minutesOfPart(sources: readonly Numbers[]): Map<number, Buckets> {
  const found = new Map<number, Buckets>();
  eachReading(sources, ({ retentionDays, times, numbers }, at) => {
    const number = numbers?.[at] ?? Number.NaN;
    if (Number.isNaN(number)) return;
    const minutes = found.get(retentionDays) ?? new Buckets(MINUTE_US);
    found.set(retentionDays, minutes);
    minutes.add(times[at]!, number);
  });
  return found;
}

function numbersOf({ which, metrics, kinds, retentionDays, rows, minutes }: PartChunk): Numbers[] {
  const { times, seqs } = rows;
  return metrics.map((metric, place) => {
    const numbers = kinds[place] === "n" ? rows.numbers[place] : undefined;
    const keep = (packed: Uint8Array) => {
      minutes[place] = packed;
    };
    return { which, metric, retentionDays, times, seqs, numbers, keep };
  });
}

function earlierWithin({ times, numbers, ...of }: EarlierNumbers, { which, from, to }: HourPart): Numbers[] {
  if (of.which !== which) return [];
  const [first, past] = [placeOf(times, from), placeOf(times, to)];
  return [{ ...of, times: times.subarray(first, past), seqs: EARLIER_SEQ, numbers: numbers.subarray(first, past) }];
}
