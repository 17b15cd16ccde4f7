import { type AlwaysPages, DAYS_OF_WEEK, dutyAt, type ShiftTimes } from "../groups/groups.ts";
import type { PersonalDuty } from "./roster/personal-duty.ts";

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
  /** Returns the user's duty on the group's shifts; `undefined` for a message that does not depend on it. */
  duty: (() => PersonalDuty) | undefined;
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
  const duty = choices.onlyOnShift ? asked.duty?.() : undefined;
  return duty && !duty.isOn ? { by: "off_shift", until: duty.next } : undefined;
}

/** Represents quiet hours as a shift on every day. */
function daily(hours: NonNullable<QuietChoices["quietHours"]>): ShiftTimes {
  return { ...hours, daysOfWeek: DAYS_OF_WEEK, validFrom: null, validUntil: null };
}
