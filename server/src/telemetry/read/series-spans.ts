import { DAY, HOUR } from "../../lib/clock.ts";

export interface Span {
  from: Date;
  to: Date;
}

/** [from, to) in buckets of `seconds`, which begin at multiples of it since 1970. */
export interface SeriesRange extends Span {
  seconds: number;
  /** The roll-ups that the buckets are made of, and the part of the range that whole ones of them fill. */
  rolledUp: (Span & { unit: "minute" | "hour" }) | undefined;
}

/** What is read from the readings, oldest first: both ends of the range and the dirty hours, or all of it. */
export function spansOf({ from, to, rolledUp }: SeriesRange, dirtyHours: readonly Date[]): Span[] {
  if (!rolledUp) return [{ from, to }];
  const { from: first, to: last } = rolledUp;
  const hours = dirtyHours.map((hour) => ({
    from: new Date(Math.max(hour.getTime(), first.getTime())),
    to: new Date(Math.min(hour.getTime() + HOUR, last.getTime())),
  }));
  const spans = [{ from, to: first }, ...hours, { from: last, to }];
  const some = spans.filter((span) => span.from < span.to);
  return some.sort((one, other) => one.from.getTime() - other.from.getTime());
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
