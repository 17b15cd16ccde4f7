import { type RawBuilder, sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import { DAY, HOUR } from "../../lib/clock.ts";
import { HOUR_US } from "../chunks/device-hours-store.ts";

/** Of time; to the microsecond in readings that are read in several steps. */
export interface Span {
  from: Date;
  to: Date;
}

/** Microseconds since 1970. */
export interface MicroSpan {
  from: number;
  to: number;
}

/** What is read at once: at a reading a second some 45,000. */
const MOST_US = 12 * HOUR * 1_000;

/** The spans in order, cut so that those of a slice are not longer together than is read at once. */
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

/** What of the spans is not before a time. */
export function spansFrom(spans: readonly MicroSpan[], from: number): MicroSpan[] {
  return spans.flatMap((span) => (span.to <= from ? [] : [{ from: Math.max(span.from, from), to: span.to }]));
}

/** Spans as rows of `span`, and a condition on a time in one of them. */
export function given(spans: readonly MicroSpan[]) {
  const times = (of: (span: MicroSpan) => number) => sql`${plainArray(spans.map(of))}::text::float8[]`;
  return {
    rows: sql`(SELECT to_timestamp(u.first / 1e6) AS "from", to_timestamp(u.past / 1e6) AS "to"
      FROM unnest(${times(({ from }) => from)}, ${times(({ to }) => to)}) AS u (first, past)) AS span`,
    within: (time: RawBuilder<unknown>) =>
      sql`${time} >= span."from" AND ${time} < span."to" AND ${withinDays(time, spans)}`,
  };
}

/** A condition that holds in the hours of the spans, and by which partitions are pruned. */
export function withinDays(time: RawBuilder<unknown>, spans: readonly MicroSpan[]): RawBuilder<unknown> {
  const days = coverOf(spans).map(({ from, to }) => {
    const first = new Date((Math.floor(from / HOUR_US) * HOUR_US) / 1_000);
    return sql`(${time} >= ${first}::timestamptz AND ${time} < ${new Date(Math.ceil(to / 1_000))}::timestamptz)`;
  });
  return sql`(${sql.join([sql`false`, ...days], sql` OR `)})`;
}

/** More are read as one: a plan costs for each of them. */
const MOST = 8;

/** A few ranges that contain all spans, with at least a day between two: readings are stored by the day. */
export function coverOf(spans: readonly MicroSpan[]): MicroSpan[] {
  const cover: MicroSpan[] = [];
  for (const { from, to } of spans) {
    const last = cover.at(-1);
    if (!last || from - last.to >= DAY * 1_000) cover.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return cover.length <= MOST ? cover : [{ from: cover[0]!.from, to: cover.at(-1)!.to }];
}
