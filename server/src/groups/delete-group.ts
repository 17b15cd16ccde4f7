import { adminUseCase, type PreparedChange } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import { inUse, notFound } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { countGroupUse, deleteGroupRow, lockGroupToDelete } from "./group-change-store.ts";
import { toGroupRecord } from "./group-record.ts";
import { findGroup } from "./group-store.ts";

/**
 * Deletes a group without devices or open claims. Otherwise its devices would lose the people who see them and are
 * paged. Its shifts stay; its tickets stay without a group.
 *
 * @throws MusterError not_found; in_use, with the numbers of `devices` and `openClaims`
 */
export const deleteGroup = adminUseCase(
  { scope: "groups:write", role: "admin" },
  "group.delete",
  async (deps: GroupsDeps, { tenantId }, id: string): Promise<PreparedChange<void>> => {
    if (!isUuid(id)) throw notFound("group");
    return {
      change: async (tx) => {
        if (!(await lockGroupToDelete(tx, tenantId, id))) throw notFound("group");
        const use = await countGroupUse(tx, tenantId, id, deps.clock.now());
        if (use.devices > 0 || use.openClaims > 0)
          throw inUse("the group is in use: remove its devices from it, and revoke the claims that name it", use);
        const before = toGroupRecord((await findGroup(tx, tenantId, id))!);
        await deleteGroupRow(tx, tenantId, id);
        return { target: id, before, result: undefined };
      },
    };
  },
);
