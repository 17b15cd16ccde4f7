import { type AlwaysPages, DAYS_OF_WEEK, dutyAt, nextDuty, type ShiftTimes } from "../groups/groups.ts";

/** The times when a user wants no pages, as far as the group leaves the choice (`alwaysPages`). */
export interface QuietChoices {
  /** The daily quiet hours in local time of the zone. An end before the start is on the next day. */
  quietHours: { startTime: string; endTime: string; timeZone: string } | null;
  /** Whether to send pages of a group only during the user's duties on its shifts. */
  onlyOnShift: boolean;
  /** Whether the choices defer critical pages as well. */
  criticalToo: boolean;
}

/** The quiet choice that defers a message. */
export type DeferredBy = "quiet_hours" | "off_shift" | "held";

export interface Deferral {
  by: DeferredBy;
  /** The end of the deferral; `null` if it cannot be foreseen. */
  until: Date | null;
}

/** The properties of a message to a user on which quiet choices depend. */
export interface QuietQuestion {
  severity: string;
  alwaysPages: AlwaysPages;
  /** The group's shifts that include the user; `undefined` for a message that does not depend on them. */
  shifts: readonly ShiftTimes[] | undefined;
}

/**
 * Returns why the message is deferred at `now`, or `undefined` if it is sent. A page that the group requires is never
 * deferred.
 */
export function deferral(choices: QuietChoices, asked: QuietQuestion, now: Date): Deferral | undefined {
  const critical = asked.severity === "critical";
  if (asked.alwaysPages === "all") return undefined;
  if (critical && (asked.alwaysPages === "critical" || !choices.criticalToo)) return undefined;
  const quiet = choices.quietHours && dutyAt(daily(choices.quietHours), now);
  if (quiet) return { by: "quiet_hours", until: quiet.endsAt };
  const { shifts } = asked;
  if (!choices.onlyOnShift || shifts === undefined || shifts.some((shift) => dutyAt(shift, now))) return undefined;
  return { by: "off_shift", until: firstDuty(shifts, now) };
}

/** Represents quiet hours as a shift on every day. */
function daily(hours: NonNullable<QuietChoices["quietHours"]>): ShiftTimes {
  return { ...hours, daysOfWeek: DAYS_OF_WEEK, validFrom: null, validUntil: null };
}

function firstDuty(shifts: readonly ShiftTimes[], now: Date): Date | null {
  const starts = shifts.flatMap((shift) => nextDuty(shift, now)?.startsAt ?? []);
  return starts.length === 0 ? null : new Date(Math.min(...starts.map((start) => start.getTime())));
}
