import { useCase } from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { type ShiftRecord, toShiftRecord } from "./shift-record.ts";
import { findShift, listShiftRows } from "./shift-store.ts";

/** @throws MusterError not_found */
export const getShift = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (deps: GroupsDeps, caller, id: string): Promise<ShiftRecord> => {
    const row = isUuid(id) ? await findShift(deps.database.db, caller.tenantId, id) : undefined;
    if (!row) throw notFound("shift");
    return toShiftRecord(row, deps.clock.now());
  },
);

/** Newest first. `q`: a part of the name, in any case. */
export const listShifts = useCase(
  { scope: "shifts:read", role: "viewer" },
  async (deps: GroupsDeps, caller, query: PageRequest & { q?: string | undefined }): Promise<Page<ShiftRecord>> => {
    const { skip, limit } = query;
    if (query.q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const { rows, total } = await listShiftRows(deps.database.db, caller.tenantId, query);
    const now = deps.clock.now();
    return { items: rows.map((row) => toShiftRecord(row, now)), total, skip, limit };
  },
);
