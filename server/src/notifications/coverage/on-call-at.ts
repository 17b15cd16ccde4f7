import { useCase } from "../../access/access.ts";
import { dutyAt, type ShiftRecord } from "../../groups/groups.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Walk } from "../../lib/page.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import { type RosterSpan, rosterAt } from "../roster/roster.ts";
import { readRoster } from "../roster/roster-store.ts";

/**
 * A shift that is on duty at some instant, with the people, and the groups for which it is at these times. Layers can
 * cut its duty at other times in another group, which is then in a {@link DutyAt} of its own.
 */
export interface DutyAt {
  shiftId: string;
  shiftName: string;
  groupIds: string[];
  userIds: string[];
  startsAt: Date;
  endsAt: Date;
}

const PART = 200;

/** Returns the shifts on duty at an instant, among those that the caller may see: of one group, or of all. */
export const onCallAt = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (deps: NotificationsDeps, caller, at: Date = deps.clock.now(), groupId?: string): Promise<DutyAt[]> => {
    if (groupId !== undefined && !isUuid(groupId)) return [];
    const duties: DutyAt[] = [];
    for (const walk: Walk = {}; !walk.ended; ) {
      const part = { groupId, skip: 0, limit: PART, walk };
      const { items } = await deps.groups.listShifts(caller, part);
      const onDuty = items.filter((shift) => dutyAt(shift, at) !== undefined);
      if (onDuty.length > 0) duties.push(...(await dutiesOf(deps, caller.tenantId, onDuty, at, groupId)));
    }
    return duties;
  },
);

async function dutiesOf(
  { database: { db } }: NotificationsDeps,
  tenantId: string,
  shifts: readonly ShiftRecord[],
  at: Date,
  groupId: string | undefined,
): Promise<DutyAt[]> {
  const groupIds = groupId === undefined ? [...new Set(shifts.flatMap((shift) => shift.groupIds))] : [groupId];
  const groups = await readGroups(db, tenantId, groupIds);
  const loose = shifts.filter((shift) => shift.groupIds.length === 0).map(({ id }) => id);
  const roster = loose.length > 0 ? await readRoster(db, tenantId, loose) : { shifts: [], overrides: [], absences: [] };
  const found = [
    ...groups.flatMap((group) => rosterAt(group, at).map((span) => ({ span, groupId: group.id }))),
    // Without a group, no layer is above another.
    ...roster.shifts.flatMap((shift) =>
      rosterAt({ ...roster, shifts: [shift] }, at).map((span) => ({ span, groupId: undefined })),
    ),
  ];
  const byShift = Map.groupBy(found, ({ span }) => span.shift.id);
  return shifts.flatMap(({ id }) => {
    const byTimes = Map.groupBy(byShift.get(id) ?? [], ({ span }) => `${+span.startsAt} ${+span.endsAt}`);
    return [...byTimes.values()].map((same) =>
      toDuty(
        same[0]!.span,
        same.flatMap((each) => each.groupId ?? []),
      ),
    );
  });
}

function toDuty({ shift, users, startsAt, endsAt }: RosterSpan, groupIds: string[]): DutyAt {
  return { shiftId: shift.id, shiftName: shift.name, groupIds, userIds: users.map(({ id }) => id), startsAt, endsAt };
}
