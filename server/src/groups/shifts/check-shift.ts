import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { timeZoneName } from "../../lib/time-zone.ts";
import type { Rotation } from "./rotation.ts";
import { DAYS_OF_WEEK, type DayOfWeek, type ShiftTimes } from "./shift-calendar.ts";

/** The times of a new shift, as requested. */
export interface NewShiftTimes {
  /** An IANA name. */
  timeZone: string;
  /** `HH:MM`, local. An end at or before the start is on the next day; equal times are a whole day. */
  startTime: string;
  endTime: string;
  daysOfWeek: readonly string[];
  /** `YYYY-MM-DD`, the first and last local day on which a duty begins. */
  validFrom?: string | undefined;
  validUntil?: string | undefined;
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const DATE = /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/;

/** @throws MusterError invalid_request with the offending value in `detail` */
export function checkTimes(given: NewShiftTimes): ShiftTimes {
  const timeZone = timeZoneName(given.timeZone);
  if (timeZone === undefined) throw invalidRequest("There is no such time zone; give an IANA name.", given.timeZone);
  const validFrom = date("validFrom", given.validFrom);
  const validUntil = date("validUntil", given.validUntil);
  if (validFrom !== null && validUntil !== null && validUntil < validFrom)
    throw invalidRequest("validUntil must not be before validFrom", validUntil);
  return {
    timeZone,
    startTime: time("startTime", given.startTime),
    endTime: time("endTime", given.endTime),
    daysOfWeek: days(given.daysOfWeek),
    validFrom,
    validUntil,
  };
}

/**
 * @returns the rotation, with the users of each turn in the given order
 * @throws MusterError invalid_request with the place or the offending value in `detail`
 */
export function checkRotation(given: Rotation): Rotation {
  const { unit, every, turns } = given;
  const most = { turns: records.turnsOfShift.value, users: records.usersOfTurn.value };
  if (turns.length < 2) throw invalidRequest("A rotation needs at least two turns.", "rotation.turns");
  if (turns.length > most.turns) throw invalidRequest(`A rotation has at most ${most.turns} turns.`, "rotation.turns");
  for (const [place, users] of turns.entries()) {
    if (users.length === 0 || users.length > most.users || new Set(users).size < users.length)
      throw invalidRequest(`A turn has one to ${most.users} different users.`, `rotation.turns.${place}`);
  }
  return {
    unit,
    every,
    startDate: date("rotation.startDate", given.startDate)!,
    handOverTime: time("rotation.handOverTime", given.handOverTime),
    turns: turns.map((users) => [...users]),
  };
}

/** Returns the users of all turns, each once, in the order of their ids. */
export function usersOfTurns({ turns }: Rotation): string[] {
  return [...new Set(turns.flat())].sort();
}

function time(field: string, text: string): string {
  if (!TIME.test(text)) throw invalidRequest(`${field} must be a time of day from 00:00 to 23:59`, text);
  return text;
}

/** Validates a calendar day from 1970 on; `null` if none was given. */
function date(field: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const day = DATE.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse accepts 2026-02-30 as the 2nd of March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text)
    throw invalidRequest(`${field} must be a date, YYYY-MM-DD`, text);
  return text;
}

/** Returns the days in weekday order. */
function days(given: readonly string[]): DayOfWeek[] {
  const unknown = given.find((day) => !DAYS_OF_WEEK.includes(day as DayOfWeek));
  if (unknown !== undefined) throw invalidRequest(`a day is one of ${DAYS_OF_WEEK.join(", ")}`, unknown);
  const twice = given.find((day, index) => given.indexOf(day) < index);
  if (twice !== undefined) throw invalidRequest("a day must be named only once", twice);
  if (given.length === 0) throw invalidRequest("a shift needs at least one day of the week");
  return DAYS_OF_WEEK.filter((day) => given.includes(day));
}
