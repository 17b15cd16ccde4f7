import { useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { type GroupRecord, toGroupRecord } from "./group-record.ts";
import { findGroup, lockGroup, touchGroup } from "./group-store.ts";
import { LIMITS } from "./limits.ts";
import { addShift } from "./shifts/shift-store.ts";

/**
 * Assigns a shift to a group (spec 4.1). Idempotent.
 *
 * @returns the current group
 * @throws MusterError not_found (the group); invalid_request with the id of an unknown shift in `detail`
 */
export const assignShift = useCase(
  { scope: "shifts:write", role: "admin" },
  async (deps: GroupsDeps, caller, groupId: string, shiftId: string): Promise<GroupRecord> => {
    const now = deps.clock.now();
    const { tenantId } = caller;
    return await inTransaction(deps.database.db, async (tx) => {
      if (!isUuid(groupId) || !(await lockGroup(tx, tenantId, groupId))) throw notFound("group");
      const outcome = isUuid(shiftId) ? await addShift(tx, tenantId, groupId, shiftId) : undefined;
      if (outcome === undefined) throw invalidRequest("There is no such shift.", shiftId);
      if (outcome === "added") await touchGroup(tx, tenantId, groupId, now);
      const group = (await findGroup(tx, tenantId, groupId))!;
      if (group.shift_ids.length > LIMITS.shiftsOfGroup)
        throw invalidRequest(`a group has at most ${LIMITS.shiftsOfGroup} shifts`, shiftId);
      const result = outcome === "added" ? "updated" : "unchanged";
      const after = { shiftId };
      await recordWrite(tx, caller, { resource: "group", id: groupId, result, at: now, after }, deps.ids);
      return toGroupRecord(group);
    });
  },
);
