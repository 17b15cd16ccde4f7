import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { DAY, HOUR } from "../../lib/clock.ts";
import { Chunk } from "../chunks/chunk-codec.ts";
import { eachReading, type Source } from "../chunks/each-reading.ts";
import { distinct, inOrder } from "../chunks/hour-rows.ts";
import { doublesOf, longsOf, timesOf } from "../chunks/packed-columns.ts";
import { placeOf } from "./metric-chunks-store.ts";
import { ALONE, type MetricOfDevice, shapesWith } from "./metric-readings-store.ts";

export interface Span {
  from: Date;
  to: Date;
}

type Numbers = Source & {
  /** Absent where the values are none; NaN in the form of before. */
  numbers: Float64Array | undefined;
};

/** What is read at once: at a reading a second some 45,000. */
const MOST_MS = 12 * HOUR;

/**
 * Visits the numbers of one metric in order of their times, wherever they are stored: rows of messages, readings in the form of before, chunks. Of each time
 * there is one. Rows are read first: what goes from rows into a chunk meanwhile is read twice, and not missed.
 *
 * @param rowsOnlyFrom from this time on, microseconds since 1970, chunks have nothing that rows do not have (`partitions/hot-days.ts`)
 * @param spans in order, none overlaps another
 * @param visit gets the time in microseconds since 1970
 */
export async function eachNumber(
  db: Db,
  which: MetricOfDevice,
  { spans, rowsOnlyFrom }: { spans: readonly Span[]; rowsOnlyFrom: number },
  visit: (time: number, number: number) => void,
): Promise<void> {
  for (const some of slicesOf(spans)) {
    const sources = await numbersOfRows(db, which, some);
    const cold = some.filter(({ from }) => from.getTime() * 1_000 < rowsOnlyFrom);
    if (cold.length > 0) sources.push(...(await numbersOfChunks(db, which, cold)));
    eachReading(sources, ({ times, numbers }, at) => {
      const number = numbers?.[at] ?? Number.NaN;
      if (!Number.isNaN(number)) visit(times[at]!, number);
    });
  }
}

/** The spans in order, cut so that those of a slice are not longer together than is read at once. */
function slicesOf(spans: readonly Span[]): Span[][] {
  const slices: Span[][] = [[]];
  let left = MOST_MS;
  for (const { from, to } of spans) {
    for (let start = from.getTime(); start < to.getTime(); ) {
      if (left === 0) {
        slices.push([]);
        left = MOST_MS;
      }
      const end = Math.min(to.getTime(), start + left);
      slices.at(-1)!.push({ from: new Date(start), to: new Date(end) });
      left -= end - start;
      start = end;
    }
  }
  return slices.filter((slice) => slice.length > 0);
}

interface PackedNumbers {
  times: Buffer;
  seqs: Buffer | null;
  numbers: Buffer | null;
}

async function numbersOfRows(db: Db, which: MetricOfDevice, spans: readonly Span[]): Promise<Numbers[]> {
  const { rows: span, within } = given(spans);
  const { rows } = await sql<PackedNumbers>`
    SELECT m.* FROM (${shapesWith(which)}) s CROSS JOIN LATERAL (
      SELECT string_agg(timestamptz_send(m.ts), '') AS times, string_agg(int8send(m.seq), '') AS seqs,
             CASE WHEN s.is_number THEN string_agg(float8send(m.numbers[s.place]), '') END AS numbers
        FROM ${span} CROSS JOIN LATERAL (
          SELECT m.ts, m.seq, m.numbers FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)} ${ALONE}) m
      HAVING count(*) > 0) m
    UNION ALL
    SELECT string_agg(timestamptz_send(t.ts), ''), NULL, string_agg(float8send(coalesce(t.number, 'NaN')), '')
      FROM ${span} CROSS JOIN LATERAL (
        SELECT t.ts, t.number FROM telemetry t
         WHERE t.device_uid = ${which.deviceUid}::uuid AND t.metric = ${which.metric}::text AND ${within(sql`t.ts`)} ${ALONE}) t
    HAVING count(*) > 0`.execute(db);
  return rows.map(({ times: packed, seqs, numbers }) => {
    const times = timesOf(packed);
    const rows = distinct(
      inOrder({
        times,
        received: times,
        seqs: seqs === null ? new Float64Array(times.length).fill(-1) : longsOf(seqs),
        numbers: numbers === null ? [] : [doublesOf(numbers)],
        texts: [],
      }),
    );
    return { times: rows.times, seqs: rows.seqs, numbers: rows.numbers[0] };
  });
}

interface StoredChunk {
  ts: Date;
  place: number;
  is_number: boolean;
  data: Buffer;
}

async function numbersOfChunks(db: Db, which: MetricOfDevice, spans: readonly Span[]): Promise<Numbers[]> {
  const { rows: span, within } = given(hoursOf(spans));
  const { rows } = await sql<StoredChunk>`
    SELECT k.ts, s.place, s.is_number, k.data FROM (${shapesWith(which)}) s CROSS JOIN ${span}
     CROSS JOIN LATERAL (
      SELECT k.ts, k.data FROM telemetry_chunks k WHERE k.shape_no = s.shape_no AND ${within(sql`k.ts`)} ${ALONE}) k`.execute(
    db,
  );
  return rows.flatMap(({ ts, place, is_number, data }) => {
    const chunk = new Chunk(data, ts.getTime() * 1_000);
    const { times, seqs } = chunk;
    const numbers = is_number ? chunk.numbers(place - 1) : undefined;
    return spans.flatMap(({ from, to }): Numbers[] => {
      const [first, past] = [placeOf(times, from.getTime() * 1_000), placeOf(times, to.getTime() * 1_000)];
      if (first >= past) return [];
      return [
        {
          times: times.subarray(first, past),
          seqs: seqs.subarray(first, past),
          numbers: numbers?.subarray(first, past),
        },
      ];
    });
  });
}

/** The whole hours of spans. */
function hoursOf(spans: readonly Span[]): Span[] {
  const hours: Span[] = [];
  for (const { from, to } of spans) {
    const first = new Date(Math.floor(from.getTime() / HOUR) * HOUR);
    const past = new Date(Math.ceil(to.getTime() / HOUR) * HOUR);
    const last = hours.at(-1);
    if (last && first <= last.to) last.to = past;
    else hours.push({ from: first, to: past });
  }
  return hours;
}

/** Spans as rows of `span`, and a condition on the time in one of them, by which partitions are pruned as well. */
function given(spans: readonly Span[]) {
  const froms = plainArray(spans.map(({ from }) => from.toISOString()));
  const tos = plainArray(spans.map(({ to }) => to.toISOString()));
  return {
    rows: sql`unnest(${froms}::text::timestamptz[], ${tos}::text::timestamptz[]) AS span ("from", "to")`,
    within: (time: RawBuilder<unknown>) => {
      const days = coverOf(spans).map(
        ({ from, to }) => sql`(${time} >= ${from}::timestamptz AND ${time} < ${to}::timestamptz)`,
      );
      return sql`${time} >= span."from" AND ${time} < span."to" AND (${sql.join([sql`false`, ...days], sql` OR `)})`;
    },
  };
}

/** More are read as one: a plan costs for each of them. */
const MOST = 8;

/** A few ranges that contain all spans, with at least a day between two: readings are stored by the day. */
export function coverOf(spans: readonly Span[]): Span[] {
  const cover: Span[] = [];
  for (const { from, to } of spans) {
    const last = cover.at(-1);
    if (!last || from.getTime() - last.to.getTime() >= DAY) cover.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return cover.length <= MOST ? cover : [{ from: cover[0]!.from, to: cover.at(-1)!.to }];
}
