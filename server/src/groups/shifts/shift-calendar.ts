import { DAY, MINUTE } from "../../lib/clock.ts";
import { firstInstant, wallTime } from "../../lib/time-zone.ts";

/** The days in weekday order. A duty belongs to the local day on which it begins. */
export const DAYS_OF_WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type DayOfWeek = (typeof DAYS_OF_WEEK)[number];

/**
 * The recurrence of a shift, in local time of its zone (docs/spec-decisions.md, Shifts). An end time that is not after
 * the start time is on the next day, so equal times are a whole day.
 */
export interface ShiftTimes {
  /** An IANA name. */
  timeZone: string;
  /** `HH:MM`. */
  startTime: string;
  endTime: string;
  daysOfWeek: readonly DayOfWeek[];
  /** `YYYY-MM-DD`: the first and the last local day on which a duty may begin; `null` for no bound. */
  validFrom: string | null;
  validUntil: string | null;
}

/** One occurrence of a shift: on duty from `startsAt` until just before `endsAt`. */
export interface Duty {
  startsAt: Date;
  endsAt: Date;
}

/** Returns the duty in progress at `at`, or `undefined` if the shift is off duty. */
export function dutyAt(times: ShiftTimes, at: Date): Duty | undefined {
  const [first] = dutiesFrom(times, at);
  return first && first.startsAt <= at ? first : undefined;
}

/** Returns the first duty that begins after `after`, or `undefined` if the shift's validity ends before another. */
export function nextDuty(times: ShiftTimes, after: Date): Duty | undefined {
  for (const duty of dutiesFrom(times, after)) if (duty.startsAt > after) return duty;
  return undefined;
}

/** Returns the duties that overlap [`from`, `to`), unclipped and in order. */
export function dutiesBetween(times: ShiftTimes, from: Date, to: Date): Duty[] {
  const duties: Duty[] = [];
  for (const duty of dutiesFrom(times, from)) {
    if (duty.startsAt >= to) break;
    duties.push(duty);
  }
  return duties;
}

/**
 * Yields the duties that end after `from`, in order, and endlessly if `validUntil` is null. They never overlap, since
 * none is longer than a local day. A duty entirely within the hour that is skipped when daylight saving time starts is
 * left out.
 */
function* dutiesFrom(times: ShiftTimes, from: Date): Generator<Duty> {
  const { timeZone, daysOfWeek } = times;
  const [start, length] = span(times);
  const last = times.validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(times.validUntil);
  const first = times.validFrom === null ? Number.NEGATIVE_INFINITY : Date.parse(times.validFrom);
  const today = Math.floor(wallTime(timeZone, from.getTime()) / DAY) * DAY;
  for (let day = Math.max(first, today - DAY); day <= last; day += DAY) {
    if (!daysOfWeek.includes(dayOfWeek(day))) continue;
    const startsAt = firstInstant(timeZone, day + start);
    const endsAt = firstInstant(timeZone, day + start + length);
    if (endsAt > startsAt && endsAt > from.getTime()) yield { startsAt: new Date(startsAt), endsAt: new Date(endsAt) };
  }
}

/** Returns start and length in wall time, in milliseconds. The length is above 0 and at most a day. */
function span({ startTime, endTime }: ShiftTimes): [start: number, length: number] {
  const [start, end] = [timeOfDay(startTime), timeOfDay(endTime)];
  return [start, end > start ? end - start : end - start + DAY];
}

function timeOfDay(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE;
}

/** Returns the day of the week. 1970-01-01 was a Thursday. */
function dayOfWeek(day: number): DayOfWeek {
  return DAYS_OF_WEEK[(((day / DAY + 3) % 7) + 7) % 7]!;
}
