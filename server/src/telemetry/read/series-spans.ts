import { HOUR } from "../../lib/clock.ts";
import type { Span } from "../messages/number-spans-store.ts";

export type { Span } from "../messages/number-spans-store.ts";

/** The range [from, to) in buckets of `seconds`, which begin at multiples of that since 1970. */
export interface SeriesRange extends Span {
  seconds: number;
  /** The roll-up unit, and the whole units within the range. */
  rolledUp: (Span & { unit: "minute" | "hour" }) | undefined;
}

/**
 * Returns the spans to read from readings, in order and without overlap: both ends of the range and the dirty hours, or
 * everything if nothing is rolled up.
 */
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
