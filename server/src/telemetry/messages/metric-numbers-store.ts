import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { Chunk } from "../chunks/chunk-codec.ts";
import { HOUR_US, micros } from "../chunks/device-hours-store.ts";
import { eachReading, type Source } from "../chunks/each-reading.ts";
import { distinct, inOrder, placeOf } from "../chunks/hour-rows.ts";
import { doublesOf, longsOf, timesOf } from "../chunks/packed-columns.ts";
import { ALONE, type MetricOfDevice, shapesWith } from "./metric-readings-store.ts";
import { given, type MicroSpan, type Span, slicesOf, spansFrom, withinDays } from "./number-spans-store.ts";

type Numbers = Source & {
  /** Absent if the values are not numbers. */
  numbers: Float64Array | undefined;
};

interface Found {
  sources: Numbers[];
  /** The time before which the sources are complete. */
  end: number;
}

/**
 * The maximum number of rows per shape, and of slices of hours in chunks, to read of a span at once. Half a day at one
 * reading per second fits.
 */
const MOST_ROWS = 50_000;
const MOST_SLICES = 16;

/**
 * Visits the numbers of one metric in time order, from message rows and chunks, one per time. Rows are read first, so
 * readings that move from rows into a chunk in between are read twice rather than missed.
 *
 * @param rowsOnlyFrom the time, in microseconds since 1970, from which rows contain everything that is in chunks
 *   (`partitions/hot-days.ts`)
 * @param spans in order, without overlaps
 * @param visit gets the time in microseconds since 1970
 */
export async function eachNumber(
  db: Db,
  which: MetricOfDevice,
  { spans, rowsOnlyFrom }: { spans: readonly Span[]; rowsOnlyFrom: number },
  visit: (time: number, number: number) => void,
): Promise<void> {
  for (const slice of slicesOf(spans)) {
    for (let left = slice; left.length > 0; ) {
      const rows = await numbersOfRows(db, which, left);
      const cold = left.filter(({ from }) => from < rowsOnlyFrom);
      const chunks = cold.length > 0 ? await numbersOfChunks(db, which, cold) : { sources: [], end: rows.end };
      const end = Math.min(rows.end, chunks.end);
      const sources = [...rows.sources, ...chunks.sources].map((source) => numbersWithin(source, { from: 0, to: end }));
      eachReading(sources, ({ times, numbers }, at) => {
        if (numbers) visit(times[at]!, numbers[at]!);
      });
      left = spansFrom(left, end);
    }
  }
}

function numbersWithin({ times, seqs, numbers }: Numbers, { from, to }: MicroSpan): Numbers {
  const [first, past] = [placeOf(times, from), placeOf(times, to)];
  return {
    times: times.subarray(first, past),
    seqs: seqs.subarray(first, past),
    numbers: numbers?.subarray(first, past),
  };
}

interface PackedNumbers {
  times: Buffer;
  seqs: Buffer;
  numbers: Buffer | null;
}

async function numbersOfRows(db: Db, which: MetricOfDevice, spans: readonly MicroSpan[]): Promise<Found> {
  const { rows: span, within } = given(spans);
  const { rows } = await sql<PackedNumbers>`
    SELECT packed.* FROM (${shapesWith(which)}) s CROSS JOIN ${span} CROSS JOIN LATERAL (
      SELECT string_agg(timestamptz_send(first.ts), '') AS times, string_agg(int8send(first.seq), '') AS seqs,
             CASE WHEN s.is_number THEN string_agg(float8send(first.numbers[s.place]), '') END AS numbers
        FROM (
          SELECT m.ts, m.seq, m.numbers FROM telemetry_messages m
           WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)}
           ORDER BY m.ts LIMIT ${MOST_ROWS}::integer) first
      HAVING count(*) > 0) packed`.execute(db);
  const found: Found = { sources: [], end: Number.POSITIVE_INFINITY };
  for (const { times: packed, seqs, numbers } of rows) {
    const times = timesOf(packed);
    if (times.length === MOST_ROWS) found.end = Math.min(found.end, times.at(-1)!);
    const rows = distinct(
      inOrder({
        times,
        received: times,
        seqs: longsOf(seqs),
        numbers: numbers === null ? [] : [doublesOf(numbers)],
        texts: [],
      }),
    );
    found.sources.push({ times: rows.times, seqs: rows.seqs, numbers: rows.numbers[0] });
  }
  return found;
}

interface StoredChunk {
  shape_no: number;
  /** The start of the chunk, in microseconds since 1970. */
  start: number;
  place: number;
  is_number: boolean;
  data: Buffer;
}

/**
 * Reads the slices of hours that reach into a span. The first one is the last slice of its hour that begins at or
 * before the start of the span.
 */
async function numbersOfChunks(db: Db, which: MetricOfDevice, spans: readonly MicroSpan[]): Promise<Found> {
  const joined = joinedByHours(spans);
  const { rows: span } = given(joined);
  const hour = sql`date_bin('1 hour', span."from", 'epoch')`;
  const ofHours = (chunk: string) => sql`
    ${sql.ref(chunk)}.shape_no = s.shape_no AND ${sql.ref(`${chunk}.ts`)} >= ${hour} AND ${withinDays(sql.ref(`${chunk}.ts`), joined)}`;
  const { rows } = await sql<StoredChunk>`
    SELECT s.shape_no, slice.start, s.place, s.is_number, slice.data FROM (${shapesWith(which)}) s
     CROSS JOIN LATERAL (
      SELECT ${micros(sql`k.ts`)} AS start, k.data FROM ${span}
       CROSS JOIN LATERAL (
        SELECT c.ts, c.data FROM telemetry_chunks c
         WHERE ${ofHours("c")} AND c.ts < span."to" AND c.ts >= coalesce((
          SELECT max(earlier.ts) FROM telemetry_chunks earlier
           WHERE ${ofHours("earlier")} AND earlier.ts <= span."from"), ${hour}) ${ALONE}) k
       ORDER BY k.ts FETCH FIRST (${MOST_SLICES}::integer) ROWS WITH TIES) slice`.execute(db);
  const found: Found = { sources: [], end: Number.POSITIVE_INFINITY };
  for (const ofShape of Map.groupBy(rows, ({ shape_no }) => shape_no).values()) {
    if (ofShape.length >= MOST_SLICES) found.end = Math.min(found.end, ofShape.at(-1)!.start);
    for (const { start, place, is_number, data } of ofShape) {
      const chunk = new Chunk(data, start);
      const { times, seqs } = chunk;
      const all = { times, seqs, numbers: is_number ? chunk.numbers(place - 1) : undefined };
      found.sources.push(...spans.map((span) => numbersWithin(all, span)).filter(({ times }) => times.length > 0));
    }
  }
  return found;
}

/** Merges spans that share an hour. */
function joinedByHours(spans: readonly MicroSpan[]): MicroSpan[] {
  const joined: MicroSpan[] = [];
  for (const { from, to } of spans) {
    const last = joined.at(-1);
    if (last && Math.floor(from / HOUR_US) * HOUR_US < last.to) last.to = to;
    else joined.push({ from, to });
  }
  return joined;
}
