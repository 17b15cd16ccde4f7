import { setImmediate } from "node:timers/promises";
import { boundedToGroupsOf, ownUserOf, useCase } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import { dutiesOf, type OnCallDuty } from "../coverage/on-call.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { colleaguesOf } from "./group-duties.ts";
import type { OverrideRecord } from "./override-record.ts";
import { groupsOfUser, listOffersTo, listOverrideRows } from "./override-store.ts";

const AHEAD_MS = 28 * DAY;
/** The maximum number of groups of a user that one answer evaluates. */
const MOST = 50;

/**
 * Lists the overrides and open offers of a group that have not ended, by start. A user who is not an admin must be of
 * the group.
 *
 * @throws MusterError not_found (the group)
 */
export const listOverrides = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (
    { database: { db }, clock }: NotificationsDeps,
    caller,
    groupId: string,
    page: PageRequest,
  ): Promise<Page<OverrideRecord>> => {
    const viewer = boundedToGroupsOf(caller);
    const [group] = isUuid(groupId) ? await readGroups(db, caller.tenantId, [groupId]) : [];
    if (!group || (viewer !== undefined && !colleaguesOf(group).has(viewer))) throw notFound("group");
    const { rows, total } = await listOverrideRows(db, caller.tenantId, { ...page, groupId, now: clock.now() });
    return { items: rows, total, skip: page.skip, limit: page.limit };
  },
);

/** The caller's duties of the next 28 days, and the offers that the caller made or may agree to. */
export interface OwnDuties {
  duties: (OnCallDuty & { groupName: string })[];
  offers: (OverrideRecord & { groupName: string })[];
}

export const listOwnDuties = useCase(
  { role: "viewer" },
  async ({ database: { db }, clock }: NotificationsDeps, caller): Promise<OwnDuties> => {
    const me = ownUserOf(caller);
    const now = clock.now();
    const of = { tenantId: caller.tenantId, userId: me };
    const groups = await groupsOf(db, of);
    const names = new Map(groups.map(({ id, name }) => [id, name]));
    const duties = await dutiesIn(groups, me, now, addMs(now, AHEAD_MS));
    const offers = await listOffersTo(db, [...names.keys()], me, now);
    return { duties, offers: offers.map((offer) => ({ ...offer, groupName: names.get(offer.groupId)! })) };
  },
);

interface DutiesOf {
  tenantId: string;
  userId: string;
}

async function groupsOf(db: Db, { tenantId, userId }: DutiesOf): Promise<PagedGroup[]> {
  return await readGroups(db, tenantId, await groupsOfUser(db, tenantId, userId, MOST));
}

async function dutiesIn(
  groups: readonly PagedGroup[],
  userId: string,
  from: Date,
  to: Date,
): Promise<OwnDuties["duties"]> {
  const mine: OwnDuties["duties"] = [];
  for (const group of groups) {
    const duties = dutiesOf(group, from, to).filter(({ users }) => users.some(({ id }) => id === userId));
    mine.push(...duties.map((duty) => ({ ...duty, groupName: group.name })));
    // The calendar of many shifts takes a while, during which device messages would wait.
    await setImmediate();
  }
  return mine.sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
}
