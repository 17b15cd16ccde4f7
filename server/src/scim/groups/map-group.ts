import { adminUseCase, type PreparedChange, type Role } from "../../access/access.ts";
import { requireGroups } from "../../groups/groups.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { ScimDeps } from "../deps.ts";
import { withMapping } from "./apply-mapping.ts";
import { findGroupRow } from "./group-store.ts";
import { setMapping } from "./mapping-store.ts";

/** The role and groups of Muster that a group of the provider stands for. */
export interface Mapping {
  /** The role of its members; null: none. */
  role: Role | null;
  /** The groups of Muster that its members join. */
  groupIds: string[];
}

/** Sets what a group of the provider stands for, and applies it to its members. @throws MusterError not_found */
export const mapScimGroup = adminUseCase(
  { role: "admin" },
  "scim-group.map",
  async (deps: ScimDeps, caller, id: string, given: Mapping): Promise<PreparedChange<void>> => {
    const { tenantId, tenantSlug, actor, address = "" } = caller;
    const by = { tenantId, tenantSlug, actor, address };
    return {
      change: async (tx) => {
        const mapping = { role: given.role, groupIds: await requireGroups(tx, tenantId, given.groupIds) };
        const concerned = async () => (isUuid(id) ? ((await findGroupRow(tx, tenantId, id))?.members ?? []) : []);
        const before = await withMapping(deps, tx, by, concerned, async () =>
          isUuid(id) ? await setMapping(tx, tenantId, id, mapping) : undefined,
        );
        if (!before) throw notFound("group");
        return { target: id, before, after: { displayName: before.displayName, ...mapping }, result: undefined };
      },
    };
  },
);
