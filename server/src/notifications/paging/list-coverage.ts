import { setImmediate } from "node:timers/promises";
import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import type { NotificationsDeps } from "../deps.ts";
import { coveredTimes, uncoveredTimes } from "./coverage.ts";
import { pagingGroups, readGroups } from "./paged-group-store.ts";
import type { PagedGroup } from "./recipients.ts";

const AHEAD_MS = 7 * DAY;
/** The most groups that one answer evaluates: each is a week of duties. */
const MOST = 200;

/** A group with uncovered hours in the next seven days. */
export interface UncoveredGroup {
  groupId: string;
  name: string;
  /** Of the next seven days; rounded up to a tenth. */
  hours: number;
  /** When the first of them begins. */
  from: Date;
}

export interface Coverage {
  /** The groups with uncovered hours, most hours first. */
  items: UncoveredGroup[];
  /** How many groups with an escalation were evaluated. */
  groups: number;
  /** There are more of them, which were not. */
  more: boolean;
}

/**
 * The groups that the caller sees, have an escalation, and have uncovered hours in the next seven days. A group without an escalation
 * sends no pages by intent and is not among them.
 */
export const listCoverage = useCase(
  { role: "viewer" },
  async ({ database: { db }, clock }: NotificationsDeps, caller): Promise<Coverage> => {
    const now = clock.now();
    const found = await pagingGroups(db, caller.tenantId, boundedToGroupsOf(caller), MOST + 1);
    const groups = await readGroups(db, caller.tenantId, found.slice(0, MOST));
    const items: UncoveredGroup[] = [];
    for (const group of groups) {
      const uncovered = uncoveredOf(group, now);
      if (uncovered) items.push(uncovered);
      // The calendar of many shifts takes its time, in which messages of devices wait.
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
  return { groupId: group.id, name: group.name, hours: Math.ceil((ms / HOUR) * 10) / 10, from: gaps[0]!.from };
}
