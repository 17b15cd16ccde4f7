import type { Caller } from "../access/access.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { assignShift } from "./assign-shift.ts";
import { createGroup, type NewGroup } from "./create-group.ts";
import { createShift, type NewShift } from "./create-shift.ts";
import type { GroupsDeps } from "./deps.ts";
import type { GroupRecord } from "./group-record.ts";
import type { ShiftRecord } from "./shift-record.ts";
import { getGroup, listGroups } from "./view-groups.ts";
import { getShift, listShifts } from "./view-shifts.ts";

export { LIMITS } from "./limits.ts";
export {
  DAYS_OF_WEEK,
  type DayOfWeek,
  type Duty,
  dutiesBetween,
  dutyAt,
  nextDuty,
  type ShiftTimes,
} from "./shift-calendar.ts";
export type { GroupRecord, NewGroup, NewShift, ShiftRecord };

/** Notification groups: who is told about, and who sees, which devices; and shifts: who is on duty when. */
export interface Groups {
  createGroup(caller: Caller, input: NewGroup): Promise<GroupRecord>;
  getGroup(caller: Caller, id: string): Promise<GroupRecord>;
  listGroups(caller: Caller, query: PageRequest & { q?: string | undefined }): Promise<Page<GroupRecord>>;
  assignShift(caller: Caller, groupId: string, shiftId: string): Promise<GroupRecord>;
  createShift(caller: Caller, input: NewShift): Promise<ShiftRecord>;
  getShift(caller: Caller, id: string): Promise<ShiftRecord>;
  listShifts(caller: Caller, query: PageRequest & { q?: string | undefined }): Promise<Page<ShiftRecord>>;
}

export function createGroups(deps: GroupsDeps): Groups {
  return {
    createGroup: (caller, input) => createGroup(deps, caller, input),
    getGroup: (caller, id) => getGroup(deps, caller, id),
    listGroups: (caller, query) => listGroups(deps, caller, query),
    assignShift: (caller, groupId, shiftId) => assignShift(deps, caller, groupId, shiftId),
    createShift: (caller, input) => createShift(deps, caller, input),
    getShift: (caller, id) => getShift(deps, caller, id),
    listShifts: (caller, query) => listShifts(deps, caller, query),
  };
}
