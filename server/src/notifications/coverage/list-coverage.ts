import { setImmediate } from "node:timers/promises";
import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import type { NotificationsDeps } from "../deps.ts";
import { pagingGroups, readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { coveredTimes, uncoveredTimes } from "./coverage.ts";

const AHEAD_MS = 7 * DAY;
/** The maximum number of groups that one answer evaluates, with a week of duties each. */
const MOST = 200;

/** A group with uncovered hours in the next seven days. */
export interface UncoveredGroup {
  groupId: string;
  name: string;
  /** The number of uncovered hours in the next seven days, rounded up to a tenth. */
  hours: number;
  /** The start of the first uncovered time. */
  from: Date;
  /** The uncovered times, in order. */
  gaps: readonly { from: Date; to: Date }[];
}

export interface Coverage {
  /** The groups with uncovered hours, most hours first. */
  items: UncoveredGroup[];
  /** The number of evaluated groups with an escalation. */
  groups: number;
  /** Whether more groups exist that were not evaluated. */
  more: boolean;
}

/**
 * Lists the groups with an escalation, visible to the caller, that have uncovered hours in the next seven days. A group
 * without an escalation sends no pages on purpose, so it is left out.
 */
export const listCoverage = useCase(
  { scope: "shifts:read", role: "viewer" },
  async ({ database: { db }, clock }: NotificationsDeps, caller): Promise<Coverage> => {
    const now = clock.now();
    const found = await pagingGroups(db, caller.tenantId, boundedToGroupsOf(caller), MOST + 1);
    const groups = await readGroups(db, caller.tenantId, found.slice(0, MOST));
    const items: UncoveredGroup[] = [];
    for (const group of groups) {
      const uncovered = uncoveredOf(group, now);
      if (uncovered) items.push(uncovered);
      // The calendar of many shifts takes a while, during which device messages would wait.
      await setImmediate();
    }
    items.sort((a, b) => b.hours - a.hours);
    return { items, groups: groups.length, more: found.length > MOST };
  },
);

function uncoveredOf(group: PagedGroup, now: Date): UncoveredGroup | undefined {
  const until = addMs(now, AHEAD_MS);
  const gaps = uncoveredTimes(coveredTimes(group, now, until), now, until);
  if (gaps.length === 0) return undefined;
  const ms = gaps.reduce((sum, { from, to }) => sum + to.getTime() - from.getTime(), 0);
  return { groupId: group.id, name: group.name, hours: Math.ceil((ms / HOUR) * 10) / 10, from: gaps[0]!.from, gaps };
}
