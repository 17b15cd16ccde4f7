import type { Db, Tx } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { findGroupIds, joinGroupsAsMember, leaveGroupsAsMember } from "./group-change-store.ts";
import { LIMITS } from "./limits.ts";

/**
 * Returns the distinct ids, each of a group of the tenant.
 *
 * @throws MusterError invalid_request: too many, or an unknown id in `detail`
 */
export async function requireGroups(db: Db, tenantId: string, groupIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(groupIds)];
  const most = records.groupsOfDevice.value;
  if (ids.length > most) throw invalidRequest(`At most ${most} groups can be named.`, "groupIds");
  const known = await findGroupIds(db, tenantId, ids.filter(isUuid));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw invalidRequest("There is no such group.", unknown);
  return ids;
}

/**
 * Makes a new user a member of those groups that still exist and have room.
 *
 * @returns the ids of the joined groups
 */
export async function joinAsMember(
  tx: Tx,
  tenantId: string,
  userId: string,
  groupIds: readonly string[],
  now: Date,
): Promise<string[]> {
  if (groupIds.length === 0) return [];
  return await joinGroupsAsMember(tx, { tenantId, userId, groupIds, most: LIMITS.membersOfGroup, now });
}

/** Ends the memberships of a user in these groups. @returns the ids of the groups that the user left */
export async function leaveAsMember(
  tx: Tx,
  tenantId: string,
  userId: string,
  groupIds: readonly string[],
  now: Date,
): Promise<string[]> {
  return groupIds.length === 0 ? [] : await leaveGroupsAsMember(tx, { tenantId, userId, groupIds, now });
}

/**
 * Makes a user a member of the groups in `wanted` that still exist and have room, and of no other group in `managed`.
 *
 * @returns the ids of the joined and of the left groups
 */
export async function setManagedGroups(
  tx: Tx,
  tenantId: string,
  userId: string,
  { managed, wanted }: { managed: readonly string[]; wanted: ReadonlySet<string> },
  now: Date,
): Promise<{ joined: string[]; left: string[] }> {
  const others = managed.filter((id) => !wanted.has(id));
  const left = await leaveAsMember(tx, tenantId, userId, others, now);
  return { joined: await joinAsMember(tx, tenantId, userId, [...wanted], now), left };
}
