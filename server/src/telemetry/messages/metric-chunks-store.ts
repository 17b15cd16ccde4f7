import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { Chunk } from "../chunks/chunk-codec.ts";
import { HOUR_US, micros } from "../chunks/device-hours-store.ts";
import { placeOf } from "../chunks/hour-rows.ts";
import type { MetricValue } from "../reading.ts";
import { type MetricOfDevice, type PageQuery, type PageReading, shapesWith } from "./metric-readings-store.ts";

interface StoredChunk {
  /** Where it begins, microseconds since 1970. */
  start: number;
  /** Of the metric in the shape, counted from 1. */
  place: number;
  kinds: string;
  time_replaced: boolean;
  data: Buffer;
}

/** Parts of hours whose chunks are read at once: at first few, since they fill most pages, and no more where those are long. */
const FIRST_PARTS = 2;
const MOST_PARTS = 32;
const LONG_BYTES = 200_000;

/**
 * The readings that chunks have of a page, part by part of the hours in its order, until the page has no more.
 *
 * @param end the page ends at this time, or before; undefined: it may go on
 */
export async function* chunksOfPage(db: Db, query: PageQuery, end: number | undefined): AsyncGenerator<PageReading[]> {
  const isAscending = query.order === "ASC";
  const from = isAscending ? query.from : Math.max(query.from, end ?? query.from);
  const to = isAscending ? Math.min(query.to, (end ?? query.to) + 1) : query.to;
  let behind: number | undefined;
  for (let limit = FIRST_PARTS; from < to; ) {
    const chunks = await selectChunks(db, query, { from, to, order: query.order, limit }, behind);
    for (const ofPart of Map.groupBy(chunks, ({ start }) => start).values()) {
      yield ofPart.flatMap((chunk) => readingsOf(chunk, query));
    }
    if (chunks.length < limit) return;
    behind = chunks.at(-1)!.start;
    const isLong = chunks.some(({ data }) => data.length > LONG_BYTES);
    limit = isLong ? FIRST_PARTS : Math.min(limit * 4, MOST_PARTS);
  }
}

/**
 * The chunks of the first parts of [from, to); all of a part, and `limit` at least while there are so many. What a part has, is never in an earlier one later, so
 * that none is missed that is written between two calls.
 *
 * @param behind only parts that begin behind this one, in the order of the page
 */
async function selectChunks(
  db: Db,
  which: MetricOfDevice,
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

/** Whether the chunk `k` of the shape `s` may have readings of [from, to): it begins there, or is the last one of its hour that begins before. */
function beginsWithin(from: number, to: number): RawBuilder<unknown> {
  const hour = timeOf(Math.floor(from / HOUR_US) * HOUR_US);
  return sql`k.ts >= ${hour} AND k.ts < ${timeOf(to)} AND k.ts >= coalesce((
    SELECT max(p.ts) FROM telemetry_chunks p WHERE p.shape_no = s.shape_no AND p.ts >= ${hour} AND p.ts <= ${timeOf(from)}), ${hour})`;
}

/** Those of a chunk that are in the range; no more than the page may have. */
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
