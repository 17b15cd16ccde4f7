import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { HOUR } from "../../lib/clock.ts";
import { Chunk } from "../chunks/chunk-codec.ts";
import type { MetricValue } from "../reading.ts";
import { type MetricOfDevice, type PageQuery, type PageReading, shapesWith } from "./metric-readings-store.ts";

interface StoredChunk {
  ts: Date;
  /** Of the metric in the shape, counted from 1. */
  place: number;
  kinds: string;
  time_replaced: boolean;
  data: Buffer;
}

const HOUR_US = HOUR * 1_000;
/** Hours of chunks that are read at once: at first few, since they fill most pages. */
const FIRST_HOURS = 2;
const MOST_HOURS = 32;

/**
 * The readings that chunks have of a page, hour by hour in its order, until the page has no more.
 *
 * @param end the page ends at this time, or before; undefined: it may go on
 */
export async function* chunksOfPage(db: Db, query: PageQuery, end: number | undefined): AsyncGenerator<PageReading[]> {
  const isAscending = query.order === "ASC";
  let from = isAscending ? query.from : Math.max(query.from, end ?? query.from);
  let to = isAscending ? Math.min(query.to, (end ?? query.to) + 1) : query.to;
  for (let hours = FIRST_HOURS; from < to; hours = Math.min(hours * 4, MOST_HOURS)) {
    const chunks = await selectChunks(db, query, { from, to, order: query.order, limit: hours });
    for (const ofHour of Map.groupBy(chunks, ({ ts }) => ts.getTime()).values()) {
      yield ofHour.flatMap((chunk) => readingsOf(chunk, query));
    }
    if (chunks.length < hours) return;
    const last = chunks.at(-1)!.ts.getTime() * 1_000;
    if (isAscending) from = last + HOUR_US;
    else to = last;
  }
}

/** The chunks of the first hours of [from, to); all of an hour, and `limit` at least while there are so many. */
async function selectChunks(
  db: Db,
  which: MetricOfDevice,
  { from, to, order, limit }: Pick<PageQuery, "from" | "to" | "order" | "limit">,
): Promise<StoredChunk[]> {
  const first = Math.floor(from / HOUR_US) * HOUR_US;
  const tail = sql`ORDER BY ts ${sql.raw(order)} FETCH FIRST (${limit}::integer) ROWS WITH TIES`;
  const { rows } = await sql<StoredChunk>`
    SELECT k.ts, s.place, s.kinds, s.time_replaced, k.data FROM (${shapesWith(which)}) s
     CROSS JOIN LATERAL (
      SELECT k.ts, k.data FROM telemetry_chunks k
       WHERE k.shape_no = s.shape_no AND k.ts >= to_timestamp(${first}::float8 / 1e6) AND k.ts < to_timestamp(${to}::float8 / 1e6)
       ${tail}) k
     ${tail}`.execute(db);
  return rows;
}

/** Those of a chunk that are in the range; no more than the page may have. */
function readingsOf({ ts, place, kinds, time_replaced, data }: StoredChunk, query: PageQuery): PageReading[] {
  const { times, seqs, received, values } = columnsOf(new Chunk(data, ts.getTime() * 1_000), place, kinds);
  let [first, past] = [placeOf(times, query.from), placeOf(times, query.to)];
  if (query.order === "ASC") past = Math.min(past, first + query.limit);
  else first = Math.max(first, past - query.limit);
  const readings: PageReading[] = [];
  for (let at = first; at < past; at++) {
    readings.push({
      time: times[at]!,
      seq: seqs[at]!,
      value: values(at),
      receivedAt: received[at]!,
      timeReplaced: time_replaced,
    });
  }
  return readings;
}

function columnsOf(chunk: Chunk, place: number, kinds: string) {
  const { times, seqs, received } = chunk;
  const kind = kinds[place - 1];
  if (kind === "t") {
    const texts = chunk.texts(place - 1);
    return { times, seqs, received, values: (at: number): MetricValue => texts[at]! };
  }
  const numbers = chunk.numbers(place - 1);
  return {
    times,
    seqs,
    received,
    values: (at: number): MetricValue => (kind === "n" ? numbers[at]! : numbers[at] === 1),
  };
}

/** The first place whose time is not before `time`. */
export function placeOf(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
