import type { Db } from "../../db/database.ts";
import { type MetricValue, readStoredReadings, type StoredReading } from "../../telemetry/telemetry.ts";

/** The readings of one device with the same time (microseconds since 1970), by metric. */
export interface ReadingsAt {
  time: number;
  values: ReadonlyMap<string, MetricValue>;
}

export interface MergedQuery {
  deviceUid: string;
  metrics: readonly string[];
  from: Date;
  to: Date;
  now: Date;
}

const PAGE = 10_000;
const LEAST_PAGE = 200;

/**
 * Reads the stored readings of several metrics of a device in the order of their times, page by page.
 *
 * @param mayLoad asked before each page; `false` ends the reading
 */
export async function* mergedReadings(
  db: Db,
  { metrics, ...query }: MergedQuery,
  mayLoad: () => boolean,
): AsyncGenerator<ReadingsAt> {
  const limit = Math.max(LEAST_PAGE, Math.floor(PAGE / metrics.length));
  const sources = metrics.map((metric) => new Source(db, { ...query, metric, limit }));
  for (;;) {
    for (const source of sources) {
      if (!source.mustLoad) continue;
      if (!mayLoad()) return;
      await source.load();
    }
    const time = Math.min(...sources.map((source) => source.time));
    if (time === Number.POSITIVE_INFINITY) return;
    const values = new Map<string, MetricValue>();
    for (const source of sources) if (source.time === time) values.set(source.metric, source.take());
    yield { time, values };
  }
}

/** The readings of one metric. */
class Source {
  readonly #db: Db;
  readonly #query: Omit<Parameters<typeof readStoredReadings>[1], "after">;
  #page: readonly StoredReading[] = [];
  #at = 0;
  #after = Number.NEGATIVE_INFINITY;
  #isLast = false;

  constructor(db: Db, query: Omit<Parameters<typeof readStoredReadings>[1], "after">) {
    this.#db = db;
    this.#query = query;
  }

  get metric(): string {
    return this.#query.metric;
  }

  get mustLoad(): boolean {
    return this.#at === this.#page.length && !this.#isLast;
  }

  /** The time of the next reading, infinite at the end. */
  get time(): number {
    return this.#page[this.#at]?.time ?? Number.POSITIVE_INFINITY;
  }

  async load(): Promise<void> {
    this.#page = await readStoredReadings(this.#db, { ...this.#query, after: this.#after });
    this.#at = 0;
    this.#after = this.#page.at(-1)?.time ?? this.#after;
    this.#isLast = this.#page.length < this.#query.limit;
  }

  take(): MetricValue {
    return this.#page[this.#at++]!.value;
  }
}
