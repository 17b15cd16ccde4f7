import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { GroupsDeps } from "../deps.ts";
import { type ShiftRecord, toShiftRecord } from "./shift-record.ts";
import { findShift, listShiftRows, type ShiftQuery } from "./shift-store.ts";

/**
 * Returns a shift. A user who is not an admin sees the shifts of their groups, their own, and those of no group.
 *
 * @throws MusterError not_found
 */
export const getShift = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (deps: GroupsDeps, caller, id: string): Promise<ShiftRecord> => {
    const viewer = boundedToGroupsOf(caller);
    const row = isUuid(id) ? await findShift(deps.database.db, caller.tenantId, id, viewer) : undefined;
    if (!row) throw notFound("shift");
    return toShiftRecord(row, deps.clock.now());
  },
);

/**
 * Lists the shifts that the caller may see, newest first. `q` is a part of the name, case-insensitive; `groupId`
 * selects the shifts of a group.
 */
export const listShifts = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (deps: GroupsDeps, caller, query: ShiftQuery): Promise<Page<ShiftRecord>> => {
    const { skip, limit } = query;
    const unknown = query.groupId !== undefined && !isUuid(query.groupId);
    if (unknown || query.q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listShiftRows(deps.database.db, caller.tenantId, {
      ...query,
      viewer: boundedToGroupsOf(caller),
    });
    const now = deps.clock.now();
    return { items: rows.map((row) => toShiftRecord(row, now)), total, skip, limit };
  },
);
