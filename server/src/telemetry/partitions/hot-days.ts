import { addMs, DAY, HOUR } from "../../lib/clock.ts";

/** Messages stay as rows for so long after the end of their day. Later ones of that day cost more. */
const HOT_MS = DAY;
/** A reading use case takes no longer, and no two clocks differ by more. */
const MARGIN_MS = HOUR;

/** The rows of days that ended before this may go. */
export function retireBefore(now: Date): Date {
  return addMs(now, -HOT_MS);
}

/** From this time on, microseconds since 1970, all messages are rows, whether they are in chunks as well or not. */
export function rowsOnlyFrom(now: Date): number {
  const day = Math.floor((now.getTime() + MARGIN_MS - HOT_MS) / DAY);
  return day * DAY * 1_000;
}
