import { adminUseCase, boundedToGroupsOf, type PreparedChange } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { GroupsDeps } from "../deps.ts";
import { deleteShiftRow, lockShift } from "./shift-change-store.ts";
import { toShiftRecord } from "./shift-record.ts";
import { findShift } from "./shift-store.ts";

/**
 * Deletes a shift that the caller may see. Its users are no longer on duty in any group. @throws MusterError not_found
 */
export const deleteShift = adminUseCase(
  { scope: "shifts:write", role: "operator" },
  "shift.delete",
  async ({ clock }: GroupsDeps, caller, id: string): Promise<PreparedChange<void>> => {
    const { tenantId } = caller;
    if (!isUuid(id)) throw notFound("shift");
    return {
      change: async (tx) => {
        const locked = await lockShift(tx, tenantId, id);
        const row = locked ? await findShift(tx, tenantId, id, boundedToGroupsOf(caller)) : undefined;
        if (!row) throw notFound("shift");
        const before = toShiftRecord(row, clock.now());
        await deleteShiftRow(tx, tenantId, id);
        return { target: id, before, result: undefined };
      },
    };
  },
);
