/**
 * Local time in IANA time zones, by the zone data of the runtime. A *wall time* is the number of milliseconds that `Date.UTC` gives
 * for the date and time that a local clock shows, so that days and times of day are plain arithmetic.
 *
 * Not Temporal, which Node 24 lacks: with temporal-polyfill 1.0 the reference tests of the shift calendar pass and 50 lines go, but
 * `dutyAt` takes four times as long (a list of shifts calls it for every row) and a start 25 ms longer.
 */

const IANA = /^[A-Z][A-Za-z0-9_+-]{0,30}(\/[A-Z][A-Za-z0-9_+-]{0,30}){0,2}$/;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
/** No local clock has ever been farther from UTC (Manila before 1844: 15:56). */
const FARTHEST_MS = 16 * 3_600_000;

/**
 * The zone's name in the spelling of IANA (`europe/berlin` → `Europe/Berlin`; a link such as `Asia/Kolkata` is kept), `undefined`
 * when there is no such zone. A bare offset (`+02:00`) is refused: it has no daylight saving time.
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

/** The wall time in `zone` at `at` (milliseconds since 1970, UTC). */
export function wallTime(zone: string, at: number): number {
  return at + offsetAt(zone, at);
}

/**
 * The first instant at which a local clock shows `wall` or later. A wall time that the start of daylight saving time skips gives the
 * instant of the change; one that occurs twice gives the first of the two. So a later wall time never gives an earlier instant, and
 * a shift that ends at the wall time at which another begins leaves no gap and no overlap.
 */
export function firstInstant(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - FARTHEST_MS);
  const unchanged = wall - before;
  if (offsetAt(zone, unchanged) === before) return unchanged;
  const change = firstChange(zone, wall - FARTHEST_MS, unchanged);
  return Math.max(change, wall - offsetAt(zone, change));
}

/** The instant in (`from`, `to`] at which the offset changes. Requires that it changes exactly once. */
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

/** How far local time is ahead of UTC, in milliseconds. */
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
