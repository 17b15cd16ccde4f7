import { addMs, DAY, HOUR } from "../../lib/clock.ts";

/** The time for which messages stay as rows after the end of their day. Messages that arrive even later cost more. */
const HOT_MS = DAY;
/** An upper bound for the duration of a read and the difference between two clocks. */
const MARGIN_MS = HOUR;

/** Returns the time such that days that ended before it may lose their rows. */
export function retireBefore(now: Date): Date {
  return addMs(now, -HOT_MS);
}

/**
 * Returns the time, in microseconds since 1970, from which all messages have rows, whether or not they are in chunks as
 * well.
 */
export function rowsOnlyFrom(now: Date): number {
  const day = Math.floor((now.getTime() + MARGIN_MS - HOT_MS) / DAY);
  return day * DAY * 1_000;
}
