import { type Caller, ownUserOf, useCase } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type Channel, checkChannel } from "../../groups/groups.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { LIMITS } from "../../lib/limits/limits.ts";
import { invalidRequest, rateLimited } from "../../lib/request-errors.ts";
import { requireLinkRoom } from "../cap/full-mailboxes.ts";
import type { NotificationsDeps } from "../deps.ts";
import { webhookSecret } from "../webhooks/webhook-secret.ts";
import {
  countNamed,
  deleteChannel,
  insertChannel,
  listChannelRows,
  lockOwn,
  nameAddress,
} from "./own-channel-store.ts";
import { readPeople } from "./person-store.ts";

/** An added channel. */
export interface AddedChannel {
  id: string;
  /** The signing key of a new webhook (`whsec_…`), shown only once. */
  secret: string | null;
}

/** Returns the caller as the owner of channels. */
export const ownerOf = (caller: Caller) => ({ tenantId: caller.tenantId, userId: ownUserOf(caller) });

/**
 * Adds a channel of the caller's own, which is used once its receiver has confirmed it. If the channel exists but is
 * unconfirmed, for example after it answered 410, another link is sent.
 *
 * @throws MusterError invalid_request; rate_limited
 */
export const addOwnChannel = useCase(
  { role: "viewer" },
  async (deps: NotificationsDeps, caller, channel: Channel): Promise<AddedChannel> => {
    const { clock, database, ids, webhookKeys } = deps;
    const owner = ownerOf(caller);
    const { type, target } = checkChannel(channel, "target");
    if (type === "integration")
      throw invalidRequest(
        "Only groups send to chat and paging services; a browser is added with its subscription.",
        "type",
      );
    return await inTransaction(database.db, async (tx) => {
      const now = clock.now();
      await lockOwn(tx, owner.userId);
      const added = await insertChannel(tx, owner, { id: ids.uuid(now), type, target }, now);
      if (added) await requireNewAddress(tx, owner.userId, { type, target }, now);
      await nameAddress(tx, owner, { type, target, again: !added }, now);
      const channels = await listChannelRows(tx, owner);
      const most = LIMITS.channelsOfUser.value;
      if (channels.length > most) throw invalidRequest(`You can have at most ${most} channels of your own.`, "target");
      const { id, request_at } = channels.find((each) => each.type === type && sameTarget(type, each.target, target))!;
      if (type === "email" && request_at !== null) await requireLinkRoom(deps, tx, target, now);
      if (!added || type === "email") return { id, secret: null };
      return { id, secret: webhookSecret(webhookKeys()[0]!, owner.userId, target, id) };
    });
  },
);

/** @throws MusterError invalid_request for the account's address; rate_limited if the user has named many addresses */
async function requireNewAddress(tx: Tx, userId: string, { type, target }: Channel, now: Date): Promise<void> {
  const { email } = (await readPeople(tx, [userId])).get(userId)!;
  if (type === "email" && sameTarget(type, email, target))
    throw invalidRequest("This is the address of your account, which already gets your messages.", "target");
  const named = await countNamed(tx, userId, addMs(now, -DAY));
  if (named >= LIMITS.channelsOfUserPerDay.value)
    throw rateLimited("You have named many addresses today. Try again tomorrow.", DAY / 1_000);
}

function sameTarget(type: Channel["type"], a: string, b: string): boolean {
  return type === "email" ? a.toLowerCase() === b.toLowerCase() : a === b;
}

/** Removes one of the caller's channels. Does nothing if it does not exist. */
export const removeOwnChannel = useCase(
  { role: "viewer" },
  async ({ database }: NotificationsDeps, caller, id: string): Promise<void> => {
    const owner = ownerOf(caller);
    if (isUuid(id)) await deleteChannel(database.db, owner, id);
  },
);
