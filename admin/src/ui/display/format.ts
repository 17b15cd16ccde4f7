import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/ui.ts";

/** Formats of dates, times and numbers in the language of the browser. */

const DATE = { year: "numeric", month: "short", day: "numeric" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const LOCAL = new Intl.DateTimeFormat(undefined, { ...DATE, ...CLOCK });
const DAY = new Intl.DateTimeFormat(undefined, DATE);
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const SECOND = new Intl.DateTimeFormat(undefined, CLOCK);
/** Created once: a formatter costs far more than its use. */
const READING = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });

export function localTime(at: string | number): string {
  return LOCAL.format(new Date(at));
}

export function localDay(at: string | number): string {
  return DAY.format(new Date(at));
}

const DAY_SECONDS = 86_400;

/**
 * Returns the labels of a time axis at these seconds: the local time, with the day below the first label of a day; only
 * days if a day passes between two labels.
 */
export function timeTicks(seconds: readonly number[]): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  const days = seconds.map((at) => DAY_OF_YEAR.format(at * 1000));
  if (step >= DAY_SECONDS) return days;
  const time = step > 0 && step < 60 ? SECOND : MINUTE;
  return seconds.map((at, index) => {
    const text = time.format(at * 1000);
    return days[index] === days[index - 1] ? text : `${text}\n${days[index]}`;
  });
}

/** Returns `2026-11-20 10:05:00 UTC`. */
export function utcTime(at: string | number): string {
  return t.utc(new Date(at).toISOString().slice(0, 19).replace("T", " "));
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

/** The units with their minimum: below two years, a distance in years says too little. */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number, least: number])[] = [
  ["year", YEAR_MS, 2 * YEAR_MS],
  ["day", DAY_MS, DAY_MS],
  ["hour", 3_600_000, 3_600_000],
  ["minute", 60_000, 60_000],
];

/** Returns `3 min ago` or `in 2 days`; `ms` is negative for the past. */
export function describeDistance(ms: number): string {
  const [unit, size] = UNITS.find(([, , least]) => Math.abs(ms) >= least) ?? (["second", 1000] as const);
  // The rest of a year that has just begun is one year, not 364 days. An age is not rounded up.
  const count = ms > 0 ? Math.round(ms / size) : Math.trunc(ms / size);
  return RELATIVE.format(count, unit);
}

const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Returns the length of a time: `40 s`, `12 min`, `3 h`, `7 days`, `1 year`. Hours go up to two days. */
export function duration(seconds: number): string {
  const rounded = (unit: number) => Number((seconds / unit).toFixed(1));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return t.min(rounded(60));
  if (seconds < 2 * DAY_SECONDS) return `${rounded(3600)} h`;
  return seconds < YEAR_SECONDS ? t.days(rounded(DAY_SECONDS)) : nouns.year(rounded(YEAR_SECONDS));
}

/** Returns `1:05` or `2:00:09` for a countdown; never below zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Formats a reading: numbers with at most six significant digits, booleans as words, text as it is. */
export function reading(value: unknown): string {
  if (typeof value === "number") return READING.format(value);
  return typeof value === "boolean" ? (value ? "true" : "false") : String(value);
}
