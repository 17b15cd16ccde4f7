import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";
import { COLUMNS, type TicketRow } from "./ticket-store.ts";
import type { TicketStatus } from "./transitions.ts";
import { visibleTicket } from "./visibility-store.ts";

export interface TicketFilter {
  status?: TicketStatus | undefined;
  deviceId?: string | undefined;
  assigneeUserId?: string | undefined;
  /** Only tickets that this user may see. */
  viewer?: string | undefined;
}

/** One page, newest first, and how many match in all. */
export async function listTicketRows(
  db: Db,
  tenantId: string,
  { status, ...filter }: TicketFilter,
  page: PageRequest,
): Promise<Counted<TicketRow>> {
  const shown = { list: "tickets", as: "t", columns: COLUMNS } as const;
  const conditions = conditionsOf(filter);
  if (conditions.length === 0) return await countedPage(db, tenantId, { ...shown, variant: status }, page);
  if (status !== undefined) conditions.push(sql`t.status = ${status}`);
  return await filteredPage(db, tenantId, { ...shown, where: sql.join(conditions, sql` AND `) }, page);
}

function conditionsOf({ deviceId, assigneeUserId, viewer }: Omit<TicketFilter, "status">): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (deviceId !== undefined) conditions.push(sql`t.device_id = ${deviceId}`);
  if (assigneeUserId !== undefined) conditions.push(sql`t.assignee_user_id = ${assigneeUserId}::uuid`);
  if (viewer !== undefined) conditions.push(visibleTicket(viewer));
  return conditions;
}
