import { type Bound, bind } from "../access/access.ts";
import { assignShift } from "./assign-shift.ts";
import { createGroup } from "./create-group.ts";
import { createShift } from "./create-shift.ts";
import type { GroupsDeps } from "./deps.ts";
import { getGroup, listGroups } from "./view-groups.ts";
import { getShift, listShifts } from "./view-shifts.ts";

export type { NewGroup } from "./create-group.ts";
export type { NewShift } from "./create-shift.ts";
export type { GroupRecord } from "./group-record.ts";
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
export type { ShiftRecord } from "./shift-record.ts";

/** Notification groups: who is notified about, and who sees, which devices; and shifts: who is on duty when. */
export const groupUseCases = { createGroup, getGroup, listGroups, assignShift, createShift, getShift, listShifts };
export type Groups = Bound<typeof groupUseCases>;
export const createGroups = (deps: GroupsDeps): Groups => bind(deps, groupUseCases);
