import { setImmediate } from "node:timers/promises";
import { addMs, DAY } from "../../lib/clock.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { rateLimited } from "../../lib/request-errors.ts";
import { isToken, tokenHash } from "../channels/confirmation-token.ts";
import { dutiesOf } from "../coverage/on-call.ts";
import type { NotificationsDeps } from "../deps.ts";
import { colleaguesOf } from "../overrides/group-duties.ts";
import { groupsOfUser } from "../overrides/override-store.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { type CalendarDuty, calendarText } from "./calendar.ts";
import { type FoundFeed, findFeed } from "./feed-store.ts";

const BEHIND_MS = 7 * DAY;
const AHEAD_MS = 84 * DAY;
/** The maximum number of events, so that the calendar of many shifts stays readable by common programs. */
const MOST = 2_000;
/** The time of which duties are computed at once. The layers of shifts are compared with each other within it. */
const SLICE_MS = 7 * DAY;
/** The maximum number of a user's groups that a calendar shows. */
const MOST_GROUPS = 50;
/** The maximum number of a tenant's calendars that wait for another, in one process. */
const MOST_WAITING = 8;
const RETRY_AFTER_SECONDS = 5;

const turns = new TenantTurns();

/**
 * Returns the calendar of an address: the duties from a week ago to twelve weeks ahead. `undefined` if the address has
 * ended, or its user is no longer active or of the group. A tenant's calendars are made one at a time.
 *
 * @throws MusterError rate_limited if too many of the tenant's calendars are waiting
 */
export async function readFeed(deps: NotificationsDeps, token: string): Promise<string | undefined> {
  const { db } = deps.database;
  const feed = isToken(token) ? await findFeed(db, tokenHash(token)) : undefined;
  if (!feed) return undefined;
  if (turns.count(db, feed.tenantId) > MOST_WAITING)
    throw rateLimited("Too many calendars of the tenant are being read.", RETRY_AFTER_SECONDS);
  return await turns.take(db, feed.tenantId, () => makeCalendar(deps, feed));
}

async function makeCalendar(
  { database: { db }, clock, baseUrl }: NotificationsDeps,
  { tenantId, userId, groupId, isAdmin }: FoundFeed,
): Promise<string | undefined> {
  const now = clock.now();
  const shared = { now, baseUrl: baseUrl() };
  if (groupId === null) {
    const groups = await readGroups(db, tenantId, await groupsOfUser(db, tenantId, userId, MOST_GROUPS));
    const duties = await dutiesIn(groups, now, ({ users }) => users.some(({ id }) => id === userId));
    return await calendarText({ ...shared, name: "My shifts", own: true, duties });
  }
  const [group] = await readGroups(db, tenantId, [groupId]);
  if (!group || !(isAdmin || colleaguesOf(group).has(userId))) return undefined;
  const duties = await dutiesIn([group], now, () => true);
  return await calendarText({ ...shared, name: `On call: ${group.name}`, own: false, duties });
}

/** Returns the first duties of these groups around `now`, by start. Other work is done meanwhile. */
async function dutiesIn(
  groups: readonly PagedGroup[],
  now: Date,
  isShown: (duty: CalendarDuty) => boolean,
): Promise<CalendarDuty[]> {
  const until = addMs(now, AHEAD_MS);
  const duties: CalendarDuty[] = [];
  for (let from = addMs(now, -BEHIND_MS), first = true; from < until; from = addMs(from, SLICE_MS), first = false) {
    const slice: CalendarDuty[] = [];
    for (const group of groups) {
      // A duty that began before a slice belongs to the previous one.
      for (const duty of dutiesOf(group, from, addMs(from, SLICE_MS))) {
        const shown = { ...duty, groupName: group.name };
        if ((first || duty.startsAt >= from) && isShown(shown)) slice.push(shown);
      }
      await setImmediate();
    }
    duties.push(...slice.sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime()));
    if (duties.length >= MOST) break;
  }
  return duties.slice(0, MOST);
}
