import { type Duty, dutyAt, nextDuty, type ShiftTimes } from "../../groups/groups.ts";

/** When a maintenance window is in effect: once, or in each occurrence of a recurrence in local time. */
export interface WindowTimes {
  /** `null` if it recurs. */
  startsAt: Date | null;
  endsAt: Date | null;
  /** `null` if it takes place once. */
  recurrence: ShiftTimes | null;
  /** A recurring window is not in effect before this time, because an occurrence was ended early. */
  skippedUntil: Date | null;
  /** An occurrence that was extended: it lasts at least until `extendedUntil`. */
  extendedFrom: Date | null;
  extendedUntil: Date | null;
}

/** Returns the occurrence in effect at `at`, from its start until just before its end, or `undefined`. */
export function windowAt(times: WindowTimes, at: Date): Duty | undefined {
  const { startsAt, endsAt, recurrence, skippedUntil, extendedFrom, extendedUntil } = times;
  if (!recurrence) return startsAt! <= at && at < endsAt! ? { startsAt: startsAt!, endsAt: endsAt! } : undefined;
  if (skippedUntil && at < skippedUntil) return undefined;
  const duty = dutyAt(recurrence, at);
  if (!extendedFrom || !extendedUntil || at < extendedFrom || at >= extendedUntil) return duty;
  if (!duty || duty.endsAt <= extendedUntil) return { startsAt: extendedFrom, endsAt: extendedUntil };
  return { startsAt: extendedFrom, endsAt: duty.endsAt };
}

/** Returns the first occurrence that begins after `at`, or `undefined`. */
export function nextWindow(times: WindowTimes, at: Date): Duty | undefined {
  const { startsAt, endsAt, recurrence, skippedUntil } = times;
  if (recurrence)
    return nextDuty(recurrence, skippedUntil && skippedUntil > at ? new Date(skippedUntil.getTime() - 1) : at);
  return startsAt! > at ? { startsAt: startsAt!, endsAt: endsAt! } : undefined;
}
