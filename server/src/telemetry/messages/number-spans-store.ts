import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import { DAY, HOUR } from "../../lib/clock.ts";
import { HOUR_US } from "../chunks/device-hours-store.ts";

/** A span of time; to the microsecond once its readings are read in several steps. */
export interface Span {
  from: Date;
  to: Date;
}

/** A span in microseconds since 1970. */
export interface MicroSpan {
  from: number;
  to: number;
}

/** The total time to read at once: about 45,000 readings at one per second. */
const MOST_US = 12 * HOUR * 1_000;

/** Cuts the spans, in order, into slices whose total length is what is read at once. */
export function slicesOf(spans: readonly Span[]): MicroSpan[][] {
  const slices: MicroSpan[][] = [[]];
  let left = MOST_US;
  for (const span of spans) {
    const to = span.to.getTime() * 1_000;
    for (let from = span.from.getTime() * 1_000; from < to; ) {
      if (left === 0) {
        slices.push([]);
        left = MOST_US;
      }
      const end = Math.min(to, from + left);
      slices.at(-1)!.push({ from, to: end });
      left -= end - from;
      from = end;
    }
  }
  return slices.filter((slice) => slice.length > 0);
}

/** Returns the parts of the spans at or after a time. */
export function spansFrom(spans: readonly MicroSpan[], from: number): MicroSpan[] {
  return spans.flatMap((span) => (span.to <= from ? [] : [{ from: Math.max(span.from, from), to: span.to }]));
}

/** Returns spans as rows of `span`, and a condition on a time within one of them. */
export function given(spans: readonly MicroSpan[]) {
  const times = (of: (span: MicroSpan) => number) => sql`${plainArray(spans.map(of))}::text::float8[]`;
  return {
    rows: sql`(SELECT to_timestamp(u.first / 1e6) AS "from", to_timestamp(u.past / 1e6) AS "to"
      FROM unnest(${times(({ from }) => from)}, ${times(({ to }) => to)}) AS u (first, past)) AS span`,
    within: (time: RawBuilder<unknown>) =>
      sql`${time} >= span."from" AND ${time} < span."to" AND ${withinDays(time, spans)}`,
  };
}

/** Returns a condition that is true in the hours of the spans and prunes partitions. */
export function withinDays(time: RawBuilder<unknown>, spans: readonly MicroSpan[]): RawBuilder<unknown> {
  const days = coverOf(spans).map(({ from, to }) => {
    const first = new Date((Math.floor(from / HOUR_US) * HOUR_US) / 1_000);
    return sql`(${time} >= ${first}::timestamptz AND ${time} < ${new Date(Math.ceil(to / 1_000))}::timestamptz)`;
  });
  return sql`(${sql.join([sql`false`, ...days], sql` OR `)})`;
}

/** The maximum number of ranges, since each adds to the cost of a plan. More are merged into one. */
const MOST = 8;

/** Covers all spans by a few ranges that are at least a day apart, because readings are stored by day. */
export function coverOf(spans: readonly MicroSpan[]): MicroSpan[] {
  const cover: MicroSpan[] = [];
  for (const { from, to } of spans) {
    const last = cover.at(-1);
    if (!last || from - last.to >= DAY * 1_000) cover.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return cover.length <= MOST ? cover : [{ from: cover[0]!.from, to: cover.at(-1)!.to }];
}
