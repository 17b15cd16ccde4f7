import { adminUseCase, type PreparedChange } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { removeShift } from "./group-change-store.ts";
import { lockGroup, touchGroup } from "./group-store.ts";

/**
 * Unassigns a shift from a group. Does nothing if it is not assigned. The shift itself stays. @throws MusterError
 * not_found (the group)
 */
export const unassignShift = adminUseCase(
  { scope: "shifts:write", role: "admin" },
  "group.unassign-shift",
  async ({ clock }: GroupsDeps, { tenantId }, groupId: string, shiftId: string): Promise<PreparedChange<void>> => {
    if (!isUuid(groupId)) throw notFound("group");
    return {
      change: async (tx) => {
        if (!(await lockGroup(tx, tenantId, groupId))) throw notFound("group");
        const removed = isUuid(shiftId) && (await removeShift(tx, groupId, shiftId));
        if (removed) await touchGroup(tx, tenantId, groupId, clock.now());
        const written = { resource: "group", id: groupId, result: "updated" } as const;
        return { target: groupId, before: { shiftId }, written, result: undefined, unchanged: !removed };
      },
    };
  },
);
