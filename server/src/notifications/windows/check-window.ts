import { boundedToGroupsOf, type Caller, requireMay } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { checkTimes, type ShiftTimes } from "../../groups/groups.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { type Coverage, seesAllCovered } from "./window-store.ts";

/** The recurrence of a window, as requested; `validFrom` and `validUntil` may be absent. */
export interface NewRecurrence extends Omit<ShiftTimes, "daysOfWeek" | "validFrom" | "validUntil"> {
  daysOfWeek: readonly string[];
  validFrom?: string | null | undefined;
  validUntil?: string | null | undefined;
}

/** @throws MusterError invalid_request */
export function checkRecurrence({ validFrom, validUntil, ...times }: NewRecurrence): ShiftTimes {
  return checkTimes({ ...times, validFrom: validFrom ?? undefined, validUntil: validUntil ?? undefined });
}

/** @throws MusterError invalid_request unless the end is in the future, after the start, and not too late */
export function checkEnd(startsAt: Date, endsAt: Date, now: Date): void {
  const days = records.windowDays.value;
  if (endsAt <= now) throw invalidRequest("The end must be in the future.", "endsAt");
  if (endsAt <= startsAt) throw invalidRequest("The end must be after the start.", "endsAt");
  if (endsAt > addMs(startsAt, days * DAY)) throw invalidRequest(`A window lasts at most ${days} days.`, "endsAt");
}

/**
 * Requires that the caller may decide about the paging of everything that the window covers: admins about all, others
 * about a group of theirs or devices that they see.
 *
 * @throws MusterError insufficient_role
 */
export async function requireMayHold(tx: Tx, caller: Caller, windowId: string, covered: Coverage): Promise<void> {
  const viewer = boundedToGroupsOf(caller);
  if (viewer === undefined || (await seesAllCovered(tx, windowId, covered, viewer))) return;
  requireMay(caller, { role: "admin" }, "holding back the pages of devices beyond one's groups");
}
