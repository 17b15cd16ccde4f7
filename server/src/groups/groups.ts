import { type Bound, bind } from "../access/access.ts";
import { assignShift } from "./assign-shift.ts";
import { createGroup } from "./create-group.ts";
import { deleteGroup } from "./delete-group.ts";
import type { GroupsDeps } from "./deps.ts";
import { createServiceAccount, updateServiceAccount } from "./service-accounts.ts";
import { createShift } from "./shifts/create-shift.ts";
import { deleteShift } from "./shifts/delete-shift.ts";
import { updateShift } from "./shifts/update-shift.ts";
import { getShift, listShifts } from "./shifts/view-shifts.ts";
import { unassignShift } from "./unassign-shift.ts";
import { editGroup, setGroupChannels, setGroupMembers, updateGroup } from "./update-group.ts";
import { getGroup, listGroups } from "./view-groups.ts";
import { addWebhook, removeWebhook } from "./webhook-channels.ts";

export { CHANNEL_KINDS, type Channel, type ChannelKind, checkChannel } from "./channels.ts";
export type { NewGroup } from "./create-group.ts";
export { ALWAYS_PAGES, type AlwaysPages, checkEscalation, type EscalationStep } from "./escalation.ts";
export type { GroupRecord } from "./group-record.ts";
export { joinAsMember, leaveAsMember, requireGroups, setManagedGroups } from "./join-groups.ts";
export { LIMITS } from "./limits.ts";
export { checkRotation, checkTimes, usersOfTurns } from "./shifts/check-shift.ts";
export type { NewShift } from "./shifts/create-shift.ts";
export { handOversBetween, type Rotation, turnAt } from "./shifts/rotation.ts";
export {
  DAYS_OF_WEEK,
  type DayOfWeek,
  type Duty,
  dutiesBetween,
  dutyAt,
  nextDuty,
  type ShiftTimes,
} from "./shifts/shift-calendar.ts";
export type { ShiftRecord } from "./shifts/shift-record.ts";

/**
 * Notification groups, which decide who sees and is notified about which devices; and shifts, which decide who is on
 * duty when.
 */
export const groupUseCases = {
  createGroup,
  getGroup,
  listGroups,
  updateGroup,
  editGroup,
  setGroupMembers,
  setGroupChannels,
  createServiceAccount,
  updateServiceAccount,
  deleteGroup,
  assignShift,
  unassignShift,
  createShift,
  getShift,
  listShifts,
  updateShift,
  deleteShift,
  addWebhook,
  removeWebhook,
};
export type Groups = Bound<typeof groupUseCases>;
export const createGroups = (deps: GroupsDeps): Groups => bind(deps, groupUseCases);
