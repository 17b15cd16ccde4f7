import type { Tx } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { type Channel, requireWebhook } from "./channels.ts";
import type { GroupsDeps } from "./deps.ts";
import { updateGroupRow } from "./group-change-store.ts";
import { findGroup, lockGroup } from "./group-store.ts";
import { LIMITS } from "./limits.ts";

/**
 * Adds a webhook to the channels of a group.
 *
 * @returns whether it is new for the group
 * @throws MusterError invalid_request (`detail`: the id of an unknown group, or the invalid place); quota_exceeded
 */
export async function addWebhook(
  { quotas, clock }: GroupsDeps,
  tx: Tx,
  tenantId: string,
  { groupId, url }: { groupId: string; url: string },
): Promise<boolean> {
  requireWebhook(url);
  const channels = await lockedChannels(tx, tenantId, groupId);
  if (!channels) throw invalidRequest("There is no such group.", groupId);
  if (channels.some((channel) => isWebhook(channel, url))) return false;
  if (channels.length >= LIMITS.channelsOfGroup)
    throw invalidRequest(`a group has at most ${LIMITS.channelsOfGroup} channels`, "groupId");
  await quotas.within(tx, tenantId, "channels", 1);
  await setChannels(tx, tenantId, groupId, [...channels, { type: "webhook", target: url }], clock.now());
  return true;
}

/** Removes a webhook from a group. @returns whether the group had it */
export async function removeWebhook(
  { clock }: GroupsDeps,
  tx: Tx,
  tenantId: string,
  { groupId, url }: { groupId: string; url: string },
): Promise<boolean> {
  const channels = await lockedChannels(tx, tenantId, groupId);
  const others = channels?.filter((channel) => !isWebhook(channel, url)) ?? [];
  if (!channels || others.length === channels.length) return false;
  await setChannels(tx, tenantId, groupId, others, clock.now());
  return true;
}

function isWebhook({ type, target }: Channel, url: string): boolean {
  return type === "webhook" && target === url;
}

/** Locks the group and returns its channels, or `undefined` if the tenant has no such group. */
async function lockedChannels(tx: Tx, tenantId: string, groupId: string): Promise<Channel[] | undefined> {
  if (!isUuid(groupId) || !(await lockGroup(tx, tenantId, groupId))) return undefined;
  return (await findGroup(tx, tenantId, groupId))?.channels;
}

async function setChannels(tx: Tx, tenantId: string, id: string, channels: Channel[], now: Date): Promise<void> {
  await updateGroupRow(tx, tenantId, id, { channels }, now);
}
