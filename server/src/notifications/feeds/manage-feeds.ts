import { adminUseCase, boundedToGroupsOf, ownUserOf, type PreparedChange, useCase } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { tokenHash } from "../channels/confirmation-token.ts";
import type { NotificationsDeps } from "../deps.ts";
import { colleaguesOf } from "../overrides/group-duties.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import { deleteFeedRow, type FeedRecord, listFeedRows, lockFeeds, upsertFeed } from "./feed-store.ts";

const MAY = { role: "viewer" } as const;

/** A new address of a calendar. It is shown only now. */
export interface NewFeed extends FeedRecord {
  url: string;
}

/** Lists the caller's calendars, without their addresses. */
export const listFeeds = useCase(
  MAY,
  async ({ database: { db } }: NotificationsDeps, caller): Promise<FeedRecord[]> =>
    listFeedRows(db, caller.tenantId, ownUserOf(caller)),
);

/**
 * Gives the caller an address of the calendar of their duties, or of those of a group. A former address of the same
 * calendar ends.
 *
 * @throws MusterError not_found (the group, also if the caller is not of it); invalid_request
 */
export const createFeed = adminUseCase(
  MAY,
  "duty-feed.create",
  async (deps: NotificationsDeps, caller, groupId: string | null = null): Promise<PreparedChange<NewFeed>> => {
    const { tenantId } = caller;
    const userId = ownUserOf(caller);
    const now = deps.clock.now();
    const token = deps.ids.bytes(32).toString("base64url");
    const record = { id: deps.ids.uuid(now), groupId, createdAt: now };
    return {
      change: async (tx) => {
        if (groupId !== null) await requireGroup(tx, tenantId, groupId, boundedToGroupsOf(caller));
        await lockFeeds(tx, userId);
        const others = (await listFeedRows(tx, tenantId, userId)).filter((feed) => feed.groupId !== groupId);
        const most = records.feedsOfUser.value;
        if (others.length >= most) throw invalidRequest(`A user has at most ${most} calendars.`);
        const id = await upsertFeed(tx, record, { tenantId, userId, hash: tokenHash(token) });
        const feed = { ...record, id };
        const url = `${deps.baseUrl()}/calendar/${token}.ics`;
        return { target: id, after: { ...feed, userId }, result: { ...feed, url } };
      },
    };
  },
);

/** Ends an address of a calendar of the caller's; an admin may end any. @throws MusterError not_found */
export const deleteFeed = adminUseCase(
  MAY,
  "duty-feed.delete",
  async (_deps: NotificationsDeps, caller, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const before = isUuid(id) && (await deleteFeedRow(tx, caller.tenantId, id, boundedToGroupsOf(caller)));
      if (!before) throw notFound("calendar");
      return { target: id, before, result: undefined };
    },
  }),
);

/** @throws MusterError not_found */
async function requireGroup(tx: Tx, tenantId: string, groupId: string, viewer: string | undefined): Promise<void> {
  const [group] = isUuid(groupId) ? await readGroups(tx, tenantId, [groupId]) : [];
  if (!group || (viewer !== undefined && !colleaguesOf(group).has(viewer))) throw notFound("group");
}
