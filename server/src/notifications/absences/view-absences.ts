import { boundedToGroupsOf, ownUserOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { colleaguesOf } from "../overrides/group-duties.ts";
import { groupsOfUser } from "../overrides/override-store.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { AbsenceRecord } from "./absence-record.ts";
import { listAbsenceRows } from "./absence-store.ts";
import { lostCover, lostDuties } from "./lost-cover.ts";

const MOST_GROUPS = 50;

/**
 * Lists the absences, which have not ended, of the people of a group, by start. A user who is not an admin must be of
 * the group, and reads no notes of others.
 *
 * @throws MusterError not_found (the group)
 */
export const listAbsences = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (
    { database: { db }, clock }: NotificationsDeps,
    caller,
    groupId: string,
    page: PageRequest,
  ): Promise<Page<AbsenceRecord>> => {
    const now = clock.now();
    const viewer = boundedToGroupsOf(caller);
    const [group] = isUuid(groupId) ? await readGroups(db, caller.tenantId, [groupId]) : [];
    const people = group && colleaguesOf(group);
    if (!people || (viewer !== undefined && !people.has(viewer))) throw notFound("group");
    const { rows, total } = await listAbsenceRows(db, caller.tenantId, { ...page, userIds: [...people], now });
    const lost = lostDuties(group, now);
    const items = rows.map((row) => ({
      ...row,
      note: viewer === undefined || viewer === row.userId ? row.note : null,
      uncovered: [lostCover(group, lost, row)].flatMap((each) => each ?? []),
    }));
    return { items, total, skip: page.skip, limit: page.limit };
  },
);

/** Lists the caller's absences that have not ended, by start. */
export const listOwnAbsences = useCase(
  { role: "viewer" },
  async ({ database: { db }, clock }: NotificationsDeps, caller): Promise<AbsenceRecord[]> => {
    const now = clock.now();
    const me = ownUserOf(caller);
    const all = { userIds: [me], now, skip: 0, limit: records.absencesOfUser.value };
    const { rows } = await listAbsenceRows(db, caller.tenantId, all);
    if (rows.length === 0) return [];
    const groups = await readGroups(db, caller.tenantId, await groupsOfUser(db, caller.tenantId, me, MOST_GROUPS));
    const lost = groups.map((group) => ({ group, duties: lostDuties(group, now) }));
    return rows.map((row) => ({
      ...row,
      uncovered: lost.flatMap(({ group, duties }) => lostCover(group, duties, row) ?? []),
    }));
  },
);
