import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { type GroupRecord, toGroupRecord } from "./group-record.ts";
import { findGroup, listGroupRows } from "./group-store.ts";

/** Returns a group. A user who is not an admin must be a member. @throws MusterError not_found */
export const getGroup = useCase(
  { scope: "groups:read", role: "viewer" },
  async (deps: GroupsDeps, caller, id: string): Promise<GroupRecord> => {
    const viewer = boundedToGroupsOf(caller);
    const row = isUuid(id) ? await findGroup(deps.database.db, caller.tenantId, id, viewer) : undefined;
    if (!row) throw notFound("group");
    return toGroupRecord(row);
  },
);

/** Lists the groups that the caller may see, newest first. `q` is a part of the name, case-insensitive. */
export const listGroups = useCase(
  { scope: "groups:read", role: "viewer" },
  async (deps: GroupsDeps, caller, query: PageRequest & { q?: string | undefined }): Promise<Page<GroupRecord>> => {
    const { skip, limit } = query;
    if (query.q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listGroupRows(deps.database.db, caller.tenantId, {
      ...query,
      viewer: boundedToGroupsOf(caller),
    });
    return { items: rows.map(toGroupRecord), total, skip, limit };
  },
);
