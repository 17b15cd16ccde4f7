import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isDeviceId, isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { groupsOfDevice, isMember, readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup, Person } from "../paging/recipients.ts";
import { rosterBetween } from "../roster/roster.ts";
import { coveredTimes, type Span, uncoveredTimes } from "./coverage.ts";

const DAYS = 7;

/** A duty of one of a group's shifts, with the people who can be notified then. */
export interface OnCallDuty {
  groupId: string;
  shiftId: string;
  shiftName: string;
  users: Person[];
  startsAt: Date;
  endsAt: Date;
}

/** The people on duty now and in the next seven days, and the uncovered hours. */
export interface OnCall {
  now: OnCallDuty[];
  /** In starting order; those in progress come first. */
  duties: OnCallDuty[];
  /** Uncovered hours: an anomaly that opens then has no recipient in any step of the groups. */
  gaps: Span[];
}

/**
 * Returns who is on call for a group. A user who is not an admin must be a member of it. @throws MusterError not_found
 */
export const onCallOfGroup = useCase(
  { scope: "groups:read", role: "viewer" },
  async (deps: NotificationsDeps, caller, groupId: string): Promise<OnCall> => {
    const groups = (await seesGroup(deps.database.db, boundedToGroupsOf(caller), groupId))
      ? await readGroups(deps.database.db, caller.tenantId, [groupId])
      : [];
    if (groups.length === 0) throw notFound("group");
    return onCall(groups, deps.clock.now());
  },
);

/**
 * Returns who is on call for any group of the device. @throws MusterError not_found, also if the caller may not see the
 * device
 */
export const onCallOfDevice = useCase(
  { scope: "devices:read", role: "viewer" },
  async (deps: NotificationsDeps, caller, deviceId: string): Promise<OnCall> => {
    const { db } = deps.database;
    const ids = isDeviceId(deviceId)
      ? await groupsOfDevice(db, caller.tenantId, deviceId, boundedToGroupsOf(caller))
      : undefined;
    if (!ids) throw notFound("device");
    const now = deps.clock.now();
    return onCall(await readGroups(db, caller.tenantId, ids), now);
  },
);

/** Checks whether `viewer` (`boundedToGroupsOf`) may see the group, if there is such a group. */
export async function seesGroup(db: Db, viewer: string | undefined, groupId: string): Promise<boolean> {
  return isUuid(groupId) && (viewer === undefined || (await isMember(db, groupId, viewer)));
}

function onCall(groups: PagedGroup[], now: Date): OnCall {
  const until = addMs(now, DAYS * DAY);
  const duties = groups.flatMap((group) => dutiesOf(group, now, until));
  duties.sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
  const covered = groups.flatMap((group) => coveredTimes(group, now, until));
  return { now: duties.filter(({ startsAt }) => startsAt <= now), duties, gaps: uncoveredTimes(covered, now, until) };
}

/** Returns the duties of a group that overlap [`from`, `to`), by start. */
export function dutiesOf(group: PagedGroup, from: Date, to: Date): OnCallDuty[] {
  return rosterBetween(group, from, to).map(({ shift, users, startsAt, endsAt }) => ({
    groupId: group.id,
    shiftId: shift.id,
    shiftName: shift.name,
    users,
    startsAt,
    endsAt,
  }));
}
