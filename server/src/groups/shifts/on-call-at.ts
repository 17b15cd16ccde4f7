import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Walk } from "../../lib/page.ts";
import type { GroupsDeps } from "../deps.ts";
import { dutyAt } from "./shift-calendar.ts";
import { toShiftRecord } from "./shift-record.ts";
import { listShiftRows } from "./shift-store.ts";

/** A shift that is on duty at some instant. */
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
  async (deps: GroupsDeps, caller, at: Date = deps.clock.now(), groupId?: string): Promise<DutyAt[]> => {
    if (groupId !== undefined && !isUuid(groupId)) return [];
    const duties: DutyAt[] = [];
    const viewer = boundedToGroupsOf(caller);
    for (const walk: Walk = {}; !walk.ended; ) {
      const part = { groupId, viewer, skip: 0, limit: PART, walk };
      const { rows } = await listShiftRows(deps.database.db, caller.tenantId, part);
      for (const row of rows) {
        const { id: shiftId, name: shiftName, groupIds, userIds, ...times } = toShiftRecord(row, at);
        const duty = dutyAt(times, at);
        if (duty) duties.push({ shiftId, shiftName, groupIds, userIds, ...duty });
      }
    }
    return duties;
  },
);
