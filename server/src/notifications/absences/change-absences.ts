import { setImmediate } from "node:timers/promises";
import { adminUseCase, boundedToGroupsOf, type Caller, ownUserOf, type PreparedChange } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { adminsOf } from "../notices/notice-store.ts";
import { colleaguesOf } from "../overrides/group-duties.ts";
import { activeUsers, groupsOfUser } from "../overrides/override-store.ts";
import { tellDuty } from "../overrides/tell-duty.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { considerOffShift } from "../personal/deferred-store.ts";
import type { Absence, AbsenceRecord, LostCover } from "./absence-record.ts";
import { countAbsences, endAbsenceAt, insertAbsence, lockAbsence, lockAbsences } from "./absence-store.ts";
import { lostCover, lostDuties } from "./lost-cover.ts";

const MAY = { scope: "shifts:write", role: "admin" } as const;
const MAY_OWN = { role: "viewer" } as const;
/** The maximum number of groups of a user that one change evaluates. */
const MOST_GROUPS = 50;

export interface NewAbsence {
  /** Now by default. */
  startsAt?: Date | null | undefined;
  endsAt: Date;
  note?: string | null | undefined;
}

/**
 * Records that a user is away: neither on duty nor paged. The user is told, and the admins of groups that lose cover.
 *
 * @throws MusterError invalid_request, with an unknown user's id in `detail`
 */
export const createAbsence = adminUseCase(
  MAY,
  "absence.create",
  async (deps: NotificationsDeps, caller, { userId, ...input }: NewAbsence & { userId: string }) =>
    prepareAbsence(deps, caller, userId, input),
);

/** Records that the caller is away; admins of groups that lose cover are told. @throws MusterError invalid_request */
export const createOwnAbsence = adminUseCase(
  MAY_OWN,
  "absence.create",
  async (deps: NotificationsDeps, caller, input: NewAbsence) => prepareAbsence(deps, caller, ownUserOf(caller), input),
);

/** Ends an absence now, or removes one that has not begun. The user is told. @throws MusterError not_found */
export const endAbsence = adminUseCase(MAY, "absence.end", async (deps: NotificationsDeps, caller, id: string) =>
  prepareEnd(deps, caller, id),
);

/** Ends an absence of the caller's; an admin may end any. @throws MusterError not_found */
export const endOwnAbsence = adminUseCase(MAY_OWN, "absence.end", async (deps: NotificationsDeps, caller, id: string) =>
  prepareEnd(deps, caller, id, boundedToGroupsOf(caller)),
);

function prepareAbsence(
  deps: NotificationsDeps,
  { tenantId, actor }: Caller,
  userId: string,
  input: NewAbsence,
): PreparedChange<AbsenceRecord> {
  const now = deps.clock.now();
  const startsAt = input.startsAt ?? now;
  const { endsAt, note = null } = input;
  checkTimes(startsAt, endsAt, now);
  const absence = { id: deps.ids.uuid(now), userId, startsAt, endsAt, note, createdAt: now, createdBy: actor };
  return {
    change: async (tx) => {
      const known = await activeUsers(tx, tenantId, [userId].filter(isUuid));
      if (!known.has(userId)) throw invalidRequest("There is no such user.", userId);
      await lockAbsences(tx, userId);
      const most = records.absencesOfUser.value;
      if ((await countAbsences(tx, userId)) >= most) throw invalidRequest(`A user has at most ${most} absences.`);
      await insertAbsence(tx, tenantId, absence);
      const groups = await dutiesChanged(tx, tenantId, userId, now);
      if (actor !== `user:${userId}`) await tellAbsent(deps, tx, { tenantId, change: "absent", absence }, now);
      const uncovered: LostCover[] = [];
      for (const group of groups) {
        const lost = lostCover(group, lostDuties(group, now), absence);
        if (lost) {
          uncovered.push(lost);
          await tellAdmins(deps, tx, { tenantId, actor, group, lost, userId }, now);
        }
        // The calendar of many shifts takes a while, during which device messages would wait.
        await setImmediate();
      }
      return { target: absence.id, after: audited(absence), result: { ...absence, uncovered } };
    },
  };
}

function prepareEnd(
  deps: NotificationsDeps,
  { tenantId, actor }: Caller,
  id: string,
  onlyOf?: string,
): PreparedChange<void> {
  return {
    change: async (tx) => {
      const now = deps.clock.now();
      const absence = isUuid(id) ? await lockAbsence(tx, tenantId, id, now) : undefined;
      if (!absence || (onlyOf !== undefined && absence.userId !== onlyOf)) throw notFound("absence");
      await endAbsenceAt(tx, absence, now);
      await dutiesChanged(tx, tenantId, absence.userId, now);
      if (actor !== `user:${absence.userId}`) await tellAbsent(deps, tx, { tenantId, change: "present", absence }, now);
      return { target: id, before: audited(absence), result: undefined };
    },
  };
}

/** Returns what the audit keeps for ever: the note, which may tell of an illness, is not of it. */
function audited({ note: _, ...absence }: Absence) {
  return absence;
}

/** @throws MusterError invalid_request */
function checkTimes(startsAt: Date, endsAt: Date, now: Date): void {
  const days = records.daysOfAbsence.value;
  if (endsAt <= now) throw invalidRequest("The end must be in the future.", "endsAt");
  if (endsAt <= startsAt) throw invalidRequest("The end must be after the start.", "endsAt");
  if (endsAt > addMs(now, days * DAY)) throw invalidRequest(`The end must be within ${days} days.`, "endsAt");
}

/** Re-evaluates messages that wait for a duty in the user's groups. @returns these groups */
async function dutiesChanged(tx: Tx, tenantId: string, userId: string, now: Date): Promise<PagedGroup[]> {
  const groups = await readGroups(tx, tenantId, await groupsOfUser(tx, tenantId, userId, MOST_GROUPS));
  for (const group of groups) await considerOffShift(tx, group.id, [...colleaguesOf(group)], now);
  return groups;
}

async function tellAbsent(
  deps: NotificationsDeps,
  tx: Tx,
  { tenantId, change, absence }: { tenantId: string; change: "absent" | "present"; absence: Absence },
  now: Date,
): Promise<void> {
  const duty = { ...absence, replacesUserId: null };
  await tellDuty(deps, tx, { tenantId, change, group: null, duty, to: [absence.userId] }, now);
}

interface Loss {
  tenantId: string;
  actor: string;
  group: PagedGroup;
  lost: LostCover;
  userId: string;
}

/** Tells the admins of a group that it loses cover: those of its people, or all if none is. */
async function tellAdmins(deps: NotificationsDeps, tx: Tx, loss: Loss, now: Date): Promise<void> {
  const { tenantId, actor, group, lost, userId } = loss;
  const admins = (await adminsOf(tx, [tenantId])).map(({ id }) => id);
  const people = colleaguesOf(group);
  const ofGroup = admins.filter((id) => people.has(id));
  const to = (ofGroup.length > 0 ? ofGroup : admins).filter((id) => actor !== `user:${id}`);
  const duty = { startsAt: lost.startsAt, endsAt: lost.endsAt, userId, replacesUserId: null };
  await tellDuty(deps, tx, { tenantId, change: "uncovered", group, duty, to }, now);
}
