import { addMs, DAY } from "../../lib/clock.ts";
import { isToken, tokenHash } from "../channels/confirmation-token.ts";
import { dutiesOf } from "../coverage/on-call.ts";
import type { NotificationsDeps } from "../deps.ts";
import { colleaguesOf } from "../overrides/group-duties.ts";
import { dutiesOfUser } from "../overrides/view-overrides.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import { calendarText } from "./calendar.ts";
import { findFeed } from "./feed-store.ts";

const BEHIND_MS = 7 * DAY;
const AHEAD_MS = 84 * DAY;
/** The maximum number of events, so that the calendar of many shifts stays readable by common programs. */
const MOST = 5_000;

/**
 * Returns the calendar of an address: the duties from a week ago to twelve weeks ahead. `undefined` if the address has
 * ended, or its user is no longer active or of the group.
 */
export async function readFeed(deps: NotificationsDeps, token: string): Promise<string | undefined> {
  const { db } = deps.database;
  const feed = isToken(token) ? await findFeed(db, tokenHash(token)) : undefined;
  if (!feed) return undefined;
  const { tenantId, userId, groupId, isAdmin } = feed;
  const now = deps.clock.now();
  const [from, to] = [addMs(now, -BEHIND_MS), addMs(now, AHEAD_MS)];
  const shared = { now, baseUrl: deps.baseUrl() };
  if (groupId === null) {
    const duties = (await dutiesOfUser(db, { tenantId, userId }, from, to)).slice(0, MOST);
    return calendarText({ ...shared, name: "My shifts", own: true, duties });
  }
  const [group] = await readGroups(db, tenantId, [groupId]);
  if (!group || !(isAdmin || colleaguesOf(group).has(userId))) return undefined;
  const duties = dutiesOf(group, from, to).map((duty) => ({ ...duty, groupName: group.name }));
  return calendarText({ ...shared, name: `On call: ${group.name}`, own: false, duties: duties.slice(0, MOST) });
}
