import { type AlwaysPages, DAYS_OF_WEEK, dutyAt, nextDuty, type ShiftTimes } from "../../groups/groups.ts";

/** When a user wants no pages, where the group leaves the choice (`alwaysPages`). */
export interface QuietChoices {
  /** Every day, in local time of the zone; an end before the start is on the next day. */
  quietHours: { startTime: string; endTime: string; timeZone: string } | null;
  /** Pages of a group only while on duty on one of its shifts. */
  onlyOnShift: boolean;
  /** Whether the choices hold back critical pages as well. */
  criticalToo: boolean;
}

/** The quiet choice that holds a message back. */
export type DeferredBy = "quiet_hours" | "off_shift";

export interface Deferral {
  by: DeferredBy;
  /** When it ends; `null`: not foreseeably. */
  until: Date | null;
}

/** A message to a user, as far as quiet choices ask. */
export interface QuietQuestion {
  severity: string;
  alwaysPages: AlwaysPages;
  /** The shifts of the group that the user is on; `undefined` for a message that does not depend on them. */
  shifts: readonly ShiftTimes[] | undefined;
}

/** What holds the message back at `now`; `undefined`: it is sent. A page that the group demands is never held back. */
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

/** Quiet hours recur like a shift of every day. */
function daily(hours: NonNullable<QuietChoices["quietHours"]>): ShiftTimes {
  return { ...hours, daysOfWeek: DAYS_OF_WEEK, validFrom: null, validUntil: null };
}

function firstDuty(shifts: readonly ShiftTimes[], now: Date): Date | null {
  const starts = shifts.flatMap((shift) => nextDuty(shift, now)?.startsAt ?? []);
  return starts.length === 0 ? null : new Date(Math.min(...starts.map((start) => start.getTime())));
}
