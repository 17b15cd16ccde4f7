import type { Db } from "../../db/database.ts";
import {
  checkEscalation,
  checkRotation,
  type EscalationStep,
  LIMITS,
  type NewShift,
  usersOfTurns,
} from "../../groups/groups.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import type { RosterShift } from "../roster/roster.ts";
import { readAbsencesOf, readRoster } from "../roster/roster-store.ts";
import { checkRecurrence, type NewRecurrence } from "../windows/check-window.ts";
import type { WindowTimes } from "../windows/window-calendar.ts";
import { readActive } from "./replay-store.ts";

/** A window over all devices of the group: from start to end, or recurring. */
export interface ReplayedWindow {
  startsAt?: Date | undefined;
  endsAt?: Date | undefined;
  recurrence?: NewRecurrence | undefined;
  holdsCritical?: boolean | undefined;
}

/** A shift that does not exist. */
export type ReplayedShift = NewRecurrence & Pick<NewShift, "name" | "userIds" | "rotation" | "layer">;

/** The changes under which a period is replayed; what is absent stays as it is. */
export interface ReplayedChange {
  escalation?: readonly EscalationStep[] | undefined;
  /** The shifts of the group: existing ones by id, and ones that do not exist. Together they replace its shifts. */
  shiftIds?: readonly string[] | undefined;
  shifts?: readonly ReplayedShift[] | undefined;
  /** Windows in addition to the existing ones. */
  windows?: readonly ReplayedWindow[] | undefined;
  causeWaitMinutes?: number | undefined;
}

/**
 * Returns the group as it would be after the change. Overrides and absences of its people count as before.
 *
 * @throws MusterError invalid_request with the place, or the unknown id, in `detail`
 */
export async function changedGroup(
  db: Db,
  tenantId: string,
  group: PagedGroup,
  { escalation, shiftIds, shifts }: ReplayedChange,
): Promise<PagedGroup> {
  const changed = { ...group, escalation: escalation ? checkEscalation(escalation) : group.escalation };
  if (!shiftIds && !shifts) return changed;
  if ((shiftIds?.length ?? 0) + (shifts?.length ?? 0) > LIMITS.shiftsOfGroup)
    throw invalidRequest(`A group has at most ${LIMITS.shiftsOfGroup} shifts.`, "shifts");
  const kept = await readRoster(db, tenantId, (shiftIds ?? []).filter(isUuid));
  const missing = shiftIds?.find((id) => !kept.shifts.some((shift) => shift.id === id));
  if (missing !== undefined) throw invalidRequest("There is no such shift.", missing);
  const added = await newShifts(db, tenantId, shifts ?? []);
  const people = [...group.members, ...[...kept.shifts, ...added].flatMap(({ users }) => users)];
  const takers = group.overrides.flatMap(({ user }) => user ?? []);
  const ids = new Set([...people, ...takers].map(({ id }) => id));
  return { ...changed, shifts: [...kept.shifts, ...added], absences: await readAbsencesOf(db, [...ids]) };
}

async function newShifts(db: Db, tenantId: string, shifts: readonly ReplayedShift[]): Promise<RosterShift[]> {
  const checked = shifts.map((shift, place) => {
    const rotation = shift.rotation ? checkRotation(shift.rotation) : null;
    const userIds = rotation ? usersOfTurns(rotation) : [...new Set(shift.userIds ?? [])];
    if (userIds.length > LIMITS.usersOfShift)
      throw invalidRequest(`A shift has at most ${LIMITS.usersOfShift} users.`, `shifts.${place}.userIds`);
    return { ...checkRecurrence(shift), id: `${place}`, name: shift.name, layer: shift.layer ?? 0, rotation, userIds };
  });
  const active = await readActive(db, tenantId, checked.flatMap(({ userIds }) => userIds).filter(isUuid));
  return checked.map(({ userIds, ...shift }) => {
    const unknown = userIds.find((id) => !active.has(id));
    if (unknown !== undefined) throw invalidRequest("There is no such active user.", unknown);
    return { ...shift, users: userIds.map((id) => active.get(id)!) };
  });
}

/** @throws MusterError invalid_request with the place in `detail` */
export function checkWindows(windows: readonly ReplayedWindow[]): (WindowTimes & { holdsCritical: boolean })[] {
  return windows.map(({ startsAt, endsAt, recurrence, holdsCritical = false }, place) => {
    const always = { skippedUntil: null, extendedFrom: null, extendedUntil: null, holdsCritical };
    if (recurrence && !startsAt && !endsAt)
      return { ...always, startsAt: null, endsAt: null, recurrence: checkRecurrence(recurrence) };
    if (!recurrence && startsAt && endsAt && startsAt < endsAt)
      return { ...always, startsAt, endsAt, recurrence: null };
    throw invalidRequest("A window has either a start and a later end, or a recurrence.", `windows.${place}`);
  });
}
