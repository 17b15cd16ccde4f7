import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { Chunk } from "../chunks/chunk-codec.ts";
import { HOUR_US, micros } from "../chunks/device-hours-store.ts";
import { placeOf } from "../chunks/hour-rows.ts";
import type { MetricValue } from "../reading.ts";
import { type PageQuery, type PageReading, shapesWith } from "./metric-readings-store.ts";

interface StoredChunk {
  /** The start of the chunk, in microseconds since 1970. */
  start: number;
  /** The position of the metric in the shape, counted from 1. */
  place: number;
  kinds: string;
  time_replaced: boolean;
  data: Buffer;
}

/**
 * The number of slices of hours whose chunks are read at once. It starts low, because a few fill most pages, and stays
 * low if the chunks are long.
 */
const FIRST_SLICES = 2;
const MOST_SLICES = 32;
const LONG_BYTES = 200_000;

/**
 * Yields the readings of a page that are in chunks, one slice of an hour at a time, in the order of the page.
 *
 * @param end the page ends at this time at the latest; undefined if it is not bounded
 */
export async function* chunksOfPage(db: Db, query: PageQuery, end: number | undefined): AsyncGenerator<PageReading[]> {
  const isAscending = query.order === "ASC";
  const from = isAscending ? query.from : Math.max(query.from, end ?? query.from);
  const to = isAscending ? Math.min(query.to, (end ?? query.to) + 1) : query.to;
  let behind: number | undefined;
  for (let limit = FIRST_SLICES; from < to; ) {
    const chunks = await selectChunks(db, query, { from, to, order: query.order, limit }, behind);
    for (const ofSlice of Map.groupBy(chunks, ({ start }) => start).values()) {
      yield ofSlice.flatMap((chunk) => readingsOf(chunk, query));
    }
    if (chunks.length < limit) return;
    behind = chunks.at(-1)!.start;
    const isLong = chunks.some(({ data }) => data.length > LONG_BYTES);
    limit = isLong ? FIRST_SLICES : Math.min(limit * 4, MOST_SLICES);
  }
}

/**
 * Selects the chunks of the first slices of [from, to), with all chunks of each slice and at least `limit` chunks if
 * there are as many. Readings never move to an earlier slice, so none is missed if it is written between two calls.
 *
 * @param behind selects only slices that begin after this one, in the order of the page
 */
async function selectChunks(
  db: Db,
  which: Pick<PageQuery, "deviceUid" | "metric">,
  { from, to, order, limit }: Pick<PageQuery, "from" | "to" | "order" | "limit">,
  behind: number | undefined,
): Promise<StoredChunk[]> {
  const isBehind = sql`k.ts ${sql.raw(order === "ASC" ? ">" : "<")} ${timeOf(behind ?? 0)}`;
  const tail = sql`ORDER BY ts ${sql.raw(order)} FETCH FIRST (${limit}::integer) ROWS WITH TIES`;
  const { rows } = await sql<StoredChunk>`
    SELECT ${micros(sql`k.ts`)} AS start, s.place, s.kinds, s.time_replaced, k.data FROM (${shapesWith(which)}) s
     CROSS JOIN LATERAL (
      SELECT k.ts, k.data FROM telemetry_chunks k
       WHERE k.shape_no = s.shape_no AND ${beginsWithin(from, to)} AND ${behind === undefined ? sql`true` : isBehind} ${tail}) k
     ${tail}`.execute(db);
  return rows;
}

const timeOf = (time: number) => sql`to_timestamp(${time}::float8 / 1e6)`;

/**
 * Restricts chunks `k` of a shape `s` to those with possible readings in [from, to): they begin there, or are the last
 * of their hour to begin before.
 */
function beginsWithin(from: number, to: number): RawBuilder<unknown> {
  const hour = timeOf(Math.floor(from / HOUR_US) * HOUR_US);
  return sql`k.ts >= ${hour} AND k.ts < ${timeOf(to)} AND k.ts >= coalesce((
    SELECT max(p.ts) FROM telemetry_chunks p WHERE p.shape_no = s.shape_no AND p.ts >= ${hour} AND p.ts <= ${timeOf(from)}), ${hour})`;
}

/** Returns the readings of a chunk that are in the range, up to the limit of the page. */
function readingsOf({ start, place, kinds, time_replaced, data }: StoredChunk, query: PageQuery): PageReading[] {
  const { times, seqs, received, values } = columnsOf(new Chunk(data, start), place, kinds);
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
