import { boundedToGroupsOf, type Caller, requireScope } from "../../access/access.ts";
import { dutiesBetween } from "../../groups/groups.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isDeviceId, isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { gaps, reached, type Span } from "./coverage.ts";
import { groupsOfDevice, readGroups } from "./page-store.ts";
import type { PagedGroup, Person } from "./recipients.ts";

const DAYS = 7;

/** A duty of one of a group's shifts, with the people who can be told then. */
export interface OnCallDuty {
  groupId: string;
  shiftId: string;
  shiftName: string;
  users: Person[];
  startsAt: Date;
  endsAt: Date;
}

/** Who is on duty now and in the next seven days, and when an anomaly would reach nobody. */
export interface OnCall {
  now: OnCallDuty[];
  /** In the order in which they begin; those under way come first. */
  duties: OnCallDuty[];
  /** An anomaly that opens then reaches nobody by any step of the groups. */
  gaps: Span[];
}

/** @throws MusterError not_found, insufficient_scope */
export async function onCallOfGroup(deps: NotificationsDeps, caller: Caller, groupId: string): Promise<OnCall> {
  requireScope(caller, "groups:read");
  const groups = isUuid(groupId) ? await readGroups(deps.database.db, caller.tenantId, [groupId]) : [];
  if (groups.length === 0) throw notFound("group");
  return onCall(groups, deps.clock.now());
}

/** Over all groups of the device. @throws MusterError not_found, insufficient_scope */
export async function onCallOfDevice(deps: NotificationsDeps, caller: Caller, deviceId: string): Promise<OnCall> {
  requireScope(caller, "devices:read");
  const { db } = deps.database;
  const ids = isDeviceId(deviceId)
    ? await groupsOfDevice(db, caller.tenantId, deviceId, boundedToGroupsOf(caller))
    : undefined;
  if (!ids) throw notFound("device");
  return onCall(await readGroups(db, caller.tenantId, ids), deps.clock.now());
}

function onCall(groups: PagedGroup[], now: Date): OnCall {
  const until = addMs(now, DAYS * DAY);
  const duties = groups.flatMap((group) => dutiesOf(group, now, until));
  duties.sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
  const spans = groups.flatMap((group) => reached(group, now, until));
  return { now: duties.filter(({ startsAt }) => startsAt <= now), duties, gaps: gaps(spans, now, until) };
}

function dutiesOf(group: PagedGroup, from: Date, to: Date): OnCallDuty[] {
  return group.shifts.flatMap((shift) =>
    dutiesBetween(shift, from, to).map(({ startsAt, endsAt }) => ({
      groupId: group.id,
      shiftId: shift.id,
      shiftName: shift.name,
      users: shift.users,
      startsAt,
      endsAt,
    })),
  );
}
