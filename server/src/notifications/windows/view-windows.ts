import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { toWindowRecord, type WindowRecord } from "./window-record.ts";
import { findWindow, listWindowRows, type WindowQuery } from "./window-store.ts";

const MAY = { scope: "shifts:read", role: "viewer" } as const;

/**
 * Returns a maintenance window. A user who is not an admin sees those of everything, of types, of their groups, and of
 * devices that they see.
 *
 * @throws MusterError not_found
 */
export const getWindow = useCase(MAY, async (deps: NotificationsDeps, caller, id: string): Promise<WindowRecord> => {
  const row = isUuid(id)
    ? await findWindow(deps.database.db, caller.tenantId, id, boundedToGroupsOf(caller))
    : undefined;
  if (!row) throw notFound("maintenance window");
  return toWindowRecord(row, deps.clock.now());
});

/** Lists the windows that the caller may see, newest first: all, or those that concern a device or group. */
export const listWindows = useCase(
  MAY,
  async (deps: NotificationsDeps, caller, query: WindowQuery): Promise<Page<WindowRecord>> => {
    const { skip, limit, groupId, deviceId } = query;
    const now = deps.clock.now();
    if ((groupId !== undefined && !isUuid(groupId)) || deviceId?.includes("\0"))
      return { items: [], total: 0, skip, limit };
    const viewer = boundedToGroupsOf(caller);
    const { rows, total } = await listWindowRows(deps.database.db, caller.tenantId, { ...query, viewer, now });
    return { items: rows.map((row) => toWindowRecord(row, now)), total, skip, limit };
  },
);
