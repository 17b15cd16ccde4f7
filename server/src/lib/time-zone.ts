/**
 * Wall clocks of the world. A *wall time* here is a number: the milliseconds that `Date.UTC` gives for what a clock on
 * the wall shows, so that days and times of day are plain arithmetic. Zones come from the runtime's own IANA data.
 */

const IANA = /^[A-Z][A-Za-z0-9_+-]{0,30}(\/[A-Z][A-Za-z0-9_+-]{0,30}){0,2}$/;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
/** No wall clock has ever been farther from UTC (Manila before 1844: 15:56). */
const FARTHEST_MS = 16 * 3_600_000;

/**
 * The zone's name as IANA spells it (`europe/berlin` → `Europe/Berlin`; a link such as `Asia/Kolkata` stays itself);
 * `undefined` when there is none. A bare offset (`+02:00`) is no zone: it knows no daylight saving.
 */
export function timeZoneName(text: string): string | undefined {
  const known = resolved(text);
  if (known?.toLowerCase() === text.toLowerCase()) return known;
  return known !== undefined && IANA.test(text) ? text : undefined;
}

function resolved(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** What the wall clock shows at `at` (milliseconds since 1970, UTC). */
export function wallTime(zone: string, at: number): number {
  return at + offsetAt(zone, at);
}

/**
 * The first instant at which the wall clock shows `wall` or later. A time that the clock leaps over is the instant of the
 * leap; a time that it shows twice is the first of the two. So a later wall time is never an earlier instant, and shifts
 * that meet on the wall meet in time.
 */
export function firstInstant(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - FARTHEST_MS);
  const unchanged = wall - before;
  if (offsetAt(zone, unchanged) === before) return unchanged;
  const change = firstChange(zone, wall - FARTHEST_MS, unchanged);
  return Math.max(change, wall - offsetAt(zone, change));
}

/** The instant in (`from`, `to`] at which the offset changes; the one change there is between them. */
function firstChange(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let [same, other] = [from, to];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(zone, middle) === before) same = middle;
    else other = middle;
  }
  return other;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the wall clock is ahead of UTC, in milliseconds. */
function offsetAt(zone: string, at: number): number {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    formats.set(zone, format);
  }
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = OFFSET.exec(format.format(at)) ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -ms : ms;
}
