import type { Tx } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { alreadyExists, invalidRequest, notFound } from "../../lib/request-errors.ts";
import { usersOf } from "../paging/divide-recipients.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { considerOffShift } from "../personal/deferred-store.ts";
import { rosterBetween } from "../roster/roster.ts";
import type { OverrideRecord } from "./override-record.ts";
import { countOfGroup, findOverlapping, findOverride, lockOverrides } from "./override-store.ts";

/** Locks the overrides of a group and reads its duties. @throws MusterError not_found */
export async function lockDuties(tx: Tx, tenantId: string, groupId: string): Promise<PagedGroup> {
  if (!isUuid(groupId)) throw notFound("group");
  await lockOverrides(tx, groupId);
  const [group] = await readGroups(tx, tenantId, [groupId]);
  if (!group) throw notFound("group");
  return group;
}

/** Locks the overrides of the group of this one, and reads both. @throws MusterError not_found */
export async function lockOverride(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<{ override: OverrideRecord; group: PagedGroup }> {
  const found = isUuid(id) ? await findOverride(tx, tenantId, id) : undefined;
  if (!found) throw notFound("override");
  const group = await lockDuties(tx, tenantId, found.groupId);
  // It may have changed while this transaction waited for the lock.
  const override = await findOverride(tx, tenantId, id);
  if (!override) throw notFound("override");
  return { override, group };
}

/** @throws MusterError invalid_request */
export function checkOverrideTimes(startsAt: Date, endsAt: Date, now: Date): void {
  const days = records.daysOfOverride.value;
  if (endsAt <= now) throw invalidRequest("The end must be in the future.", "endsAt");
  if (endsAt <= startsAt) throw invalidRequest("The end must be after the start.", "endsAt");
  if (endsAt > addMs(now, days * DAY)) throw invalidRequest(`The end must be within ${days} days.`, "endsAt");
}

/** The caller has locked the group's overrides. @throws MusterError already_exists with the id of the other override */
export async function requireFree(tx: Tx, override: OverrideRecord): Promise<void> {
  const other = await findOverlapping(tx, override);
  if (other !== undefined) throw alreadyExists("Another override already changes this duty in the time.", other);
}

/** @throws MusterError invalid_request */
export async function requireRoom(tx: Tx, groupId: string): Promise<void> {
  const most = records.overridesOfGroup.value;
  if ((await countOfGroup(tx, groupId)) >= most) throw invalidRequest(`A group has at most ${most} overrides.`);
}

/** Returns the users who may be offered a duty of the group: its members and those of its shifts. */
export function colleaguesOf(group: PagedGroup): Set<string> {
  return new Set(usersOf([group]));
}

/** Returns the users on duty in a time. */
export function onDutyBetween(group: PagedGroup, startsAt: Date, endsAt: Date): string[] {
  return [...new Set(rosterBetween(group, startsAt, endsAt).flatMap(({ users }) => users.map(({ id }) => id)))];
}

/** Re-evaluates messages that wait for a duty, after an override has begun or ended to count. */
export async function dutiesChanged(tx: Tx, group: PagedGroup, { userId }: OverrideRecord, now: Date): Promise<void> {
  await considerOffShift(tx, group.id, [...colleaguesOf(group), ...(userId === null ? [] : [userId])], now);
}
