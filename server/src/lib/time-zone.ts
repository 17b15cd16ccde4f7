/**
 * Local time in IANA time zones, based on the runtime's zone data. A *wall time* is the number of milliseconds that
 * `Date.UTC` returns for the date and time shown by a local clock, so days and times of day are plain arithmetic.
 *
 * Temporal is not used because Node 24 lacks it. With temporal-polyfill 1.0 the reference tests of the shift calendar
 * pass and 50 lines go, but `dutyAt` takes four times as long (a list of shifts calls it for every row) and startup 25
 * ms longer.
 */

const IANA = /^[A-Z][A-Za-z0-9_+-]{0,30}(\/[A-Z][A-Za-z0-9_+-]{0,30}){0,2}$/;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
/** No local clock has ever been farther from UTC (Manila before 1844: 15:56). */
const FARTHEST_MS = 16 * 3_600_000;

/**
 * Returns the zone's name in the IANA spelling (`europe/berlin` → `Europe/Berlin`; a link such as `Asia/Kolkata` is
 * kept), or `undefined` if there is no such zone. A bare offset (`+02:00`) is refused, because it has no daylight
 * saving time.
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

/** Returns the wall time in `zone` at `at` (milliseconds since 1970, UTC). */
export function wallTime(zone: string, at: number): number {
  return at + offsetAt(zone, at);
}

/**
 * Returns the first instant at which a local clock shows `wall` or later. A wall time skipped by the start of daylight
 * saving time yields the instant of the change; one that occurs twice yields the first occurrence. A later wall time
 * therefore never yields an earlier instant, and a shift that ends at the wall time at which another begins leaves no
 * gap and no overlap.
 */
export function firstInstant(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - FARTHEST_MS);
  const unchanged = wall - before;
  if (offsetAt(zone, unchanged) === before) return unchanged;
  const change = firstChange(zone, wall - FARTHEST_MS, unchanged);
  return Math.max(change, wall - offsetAt(zone, change));
}

/** Returns the instant in (`from`, `to`] at which the offset changes. Requires exactly one change. */
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

/** Returns how far local time is ahead of UTC, in milliseconds. */
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
