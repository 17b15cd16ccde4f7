import { eachReading, type Source } from "../chunks/each-reading.ts";
import type { EarlierNumbers } from "../chunks/earlier-numbers-store.ts";
import type { HourPart } from "../chunks/hour-parts.ts";
import { placeOf } from "../chunks/hour-rows.ts";
import type { ShapeRows } from "../chunks/hour-rows-store.ts";
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

  /** Adds a part, after those before it in its hour. */
  add(part: HourPart): void {
    const sources = [...part.shapes.flatMap(numbersOf), ...this.#earlier.flatMap((all) => earlierWithin(all, part))];
    for (const ofMetric of Map.groupBy(sources, ({ metric }) => metric).values()) {
      const { which, metric } = ofMetric[0]!;
      const ofRetention = new Map<number, Buckets>();
      eachReading(ofMetric, ({ retentionDays, times, numbers }, at) => {
        const number = numbers?.[at] ?? Number.NaN;
        if (Number.isNaN(number)) return;
        const minutes = ofRetention.get(retentionDays) ?? this.#minutesOf(which, metric, retentionDays);
        ofRetention.set(retentionDays, minutes);
        minutes.add(times[at]!, number);
      });
    }
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
      for (const minute of minutes) hours.merge({ ...minute, at: Math.floor(minute.at / HOUR_US) * HOUR_US });
      return { ...of, minutes, hours: hours.all };
    });
  }
}

function numbersOf({ which, metrics, kinds, retentionDays, rows }: ShapeRows): Numbers[] {
  const { times, seqs } = rows;
  return metrics.map((metric, place) => {
    const numbers = kinds[place] === "n" ? rows.numbers[place] : undefined;
    return { which, metric, retentionDays, times, seqs, numbers };
  });
}

function earlierWithin({ times, numbers, ...of }: EarlierNumbers, { which, from, to }: HourPart): Numbers[] {
  if (of.which !== which) return [];
  const [first, past] = [placeOf(times, from), placeOf(times, to)];
  return [{ ...of, times: times.subarray(first, past), seqs: EARLIER_SEQ, numbers: numbers.subarray(first, past) }];
}
