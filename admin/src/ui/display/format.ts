import { t } from "#texts/ui.ts";
import { LOCALE } from "../../texts/locale.ts";
import { unitText } from "../../texts/number-text.ts";
import { timeOptions } from "./zone.ts";

const DATE = { year: "numeric", month: "short", day: "numeric" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
/** Created once: a formatter costs far more than its use. */
const READING = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 6 });
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the formatter of these parts in the language of the app, with the user's zone and clock. */
function formatOf(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const options = { ...parts, ...timeOptions() };
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(LOCALE, options);
  formats.set(key, format);
  return format;
}

export function localTime(at: string | number): string {
  return formatOf({ ...DATE, ...CLOCK }).format(new Date(at));
}

export function localDay(at: string | number): string {
  return formatOf(DATE).format(new Date(at));
}

/** Returns `20 Nov`. */
export function dayOfYear(at: string | number): string {
  return formatOf({ month: "short", day: "numeric" }).format(new Date(at));
}

/** Returns `10:05:00`. */
export function localClock(at: number): string {
  return formatOf(CLOCK).format(at);
}

const DAY_SECONDS = 86_400;

/**
 * Returns the labels of a time axis at these seconds: the local time, with the day below the first label of a day; only
 * days if a day passes between two labels.
 */
export function timeTicks(seconds: readonly number[]): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  const days = seconds.map((at) => dayOfYear(at * 1000));
  if (step >= DAY_SECONDS) return days;
  const time = formatOf(step > 0 && step < 60 ? CLOCK : { hour: "2-digit", minute: "2-digit" });
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

/** Returns `3 minutes ago` or `in 2 days`; `ms` is negative for the past. */
export function describeDistance(ms: number): string {
  const [unit, size] = UNITS.find(([, , least]) => Math.abs(ms) >= least) ?? (["second", 1000] as const);
  // Future distances are rounded to the nearest unit, past ones down.
  const count = ms > 0 ? Math.round(ms / size) : Math.trunc(ms / size);
  return RELATIVE.format(count, unit);
}

const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Returns the length of a time: `40 seconds`, `12 minutes`, `3 hours`, `7 days`. Hours go up to two days. */
export function duration(seconds: number): string {
  const rounded = (unit: number) => Number((seconds / unit).toFixed(1));
  if (seconds < 60) return unitText(seconds, "second");
  if (seconds < 3600) return unitText(rounded(60), "minute");
  if (seconds < 2 * DAY_SECONDS) return unitText(rounded(3600), "hour");
  return seconds < YEAR_SECONDS ? unitText(rounded(DAY_SECONDS), "day") : unitText(rounded(YEAR_SECONDS), "year");
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
