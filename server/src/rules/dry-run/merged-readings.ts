import type { Db } from "../../db/database.ts";
import { createPauses } from "../../lib/pauses.ts";
import { type MetricValue, readStoredReadings, readStoredTimes } from "../../telemetry/telemetry.ts";

/** The readings of one device with the same time (microseconds since 1970), by metric. */
export interface ReadingsAt {
  time: number;
  values: ReadonlyMap<string, MetricValue>;
}

export interface MergedQuery {
  deviceUid: string;
  metrics: readonly string[];
  /** Whether the times at which the device sent only other metrics count as well, without values. */
  hasOthers: boolean;
  from: Date;
  to: Date;
  now: Date;
}

const PAGE = 10_000;
const LEAST_PAGE = 200;

/**
 * Reads the stored readings of several metrics of a device in the order of their times, page by page. Other work of the
 * process gets its turn in between.
 *
 * @param mayLoad asked before each page; `false` ends the reading
 */
export async function* mergedReadings(
  db: Db,
  { metrics, hasOthers, ...query }: MergedQuery,
  mayLoad: () => boolean,
): AsyncGenerator<ReadingsAt> {
  const limit = Math.max(LEAST_PAGE, Math.floor(PAGE / metrics.length));
  const sources = metrics.map((metric) => {
    return new Source(metric, limit, (after) => readStoredReadings(db, { ...query, metric, limit, after }));
  });
  if (hasOthers) {
    sources.push(new Source(undefined, PAGE, (after) => readStoredTimes(db, { ...query, limit: PAGE, after })));
  }
  const pause = createPauses();
  for (;;) {
    for (const source of sources) {
      if (!source.mustLoad) continue;
      if (!mayLoad()) return;
      await source.load();
    }
    const time = sources.reduce((first, source) => Math.min(first, source.time), Number.POSITIVE_INFINITY);
    if (time === Number.POSITIVE_INFINITY) return;
    const values = new Map<string, MetricValue>();
    for (const source of sources) {
      if (source.time !== time) continue;
      const { value } = source.take();
      if (source.metric !== undefined) values.set(source.metric, value!);
    }
    yield { time, values };
    await pause();
  }
}

interface Taken {
  time: number;
  value?: MetricValue;
}

/** The readings of one metric, or the times of all messages. */
class Source {
  readonly metric: string | undefined;
  readonly #limit: number;
  readonly #loadAfter: (after: number) => Promise<readonly Taken[]>;
  #page: readonly Taken[] = [];
  #at = 0;
  #after = Number.NEGATIVE_INFINITY;
  #isLast = false;

  constructor(metric: string | undefined, limit: number, loadAfter: (after: number) => Promise<readonly Taken[]>) {
    this.metric = metric;
    this.#limit = limit;
    this.#loadAfter = loadAfter;
  }

  get mustLoad(): boolean {
    return this.#at === this.#page.length && !this.#isLast;
  }

  /** The time of the next reading, infinite at the end. */
  get time(): number {
    return this.#page[this.#at]?.time ?? Number.POSITIVE_INFINITY;
  }

  async load(): Promise<void> {
    this.#page = await this.#loadAfter(this.#after);
    this.#at = 0;
    this.#after = this.#page.at(-1)?.time ?? this.#after;
    this.#isLast = this.#page.length < this.#limit;
  }

  take(): Taken {
    return this.#page[this.#at++]!;
  }
}
