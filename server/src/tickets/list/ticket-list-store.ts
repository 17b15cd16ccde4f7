import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import { type Counted, contains, countedPage, filteredPage } from "../../lists/counted-page.ts";
import { createdBetween, type Period } from "../../lists/created-between.ts";
import { negated } from "../../lists/negated.ts";
import { isOneOf } from "../../lists/one-of.ts";
import { searchPage } from "../../lists/search-page.ts";
import { sortedPage } from "../../lists/sorted-page.ts";
import type { TicketPriority, TicketType } from "../ticket-record.ts";
import { COLUMNS, type TicketRow } from "../ticket-store.ts";
import type { TicketStatus } from "../transitions.ts";
import { visibleTicket } from "../visibility-store.ts";

/** Properties to match. If a property has several values, any of them matches. */
export interface TicketProperties {
  status?: TicketStatus | readonly TicketStatus[] | undefined;
  priority?: TicketPriority | readonly TicketPriority[] | undefined;
  type?: TicketType | readonly TicketType[] | undefined;
  /** null for unassigned tickets. */
  assigneeUserId?: string | null | undefined;
  /** null for tickets without a group. */
  groupId?: string | null | undefined;
}

/** A filter for tickets. `from` and `to` refer to the opening. */
export interface TicketFilter extends TicketProperties, Period {
  deviceId?: string | undefined;
  anomalyId?: string | undefined;
  /** Matches unfinished tickets due before this time. */
  dueBefore?: Date | undefined;
  /** Properties that a ticket must not have. */
  not?: TicketProperties | undefined;
  /** Matches only tickets that this user may see. */
  viewer?: string | undefined;
}

/** The supported sort orders. Without an order, and among equals, the newest comes first. */
const ORDERS = {
  createdAt: { by: sql`t.id`, type: "uuid" },
  updatedAt: { by: sql`t.updated_at`, type: "timestamptz" },
  dueAt: { by: sql`t.due_at`, type: "timestamptz", nullable: true },
  priority: {
    by: sql`(CASE t.priority WHEN 'urgent' THEN '3' WHEN 'high' THEN '2' WHEN 'medium' THEN '1' ELSE '0' END)`,
    type: "text",
  },
} as const;

export type TicketOrder = keyof typeof ORDERS;
export const TICKET_ORDERS = Object.keys(ORDERS) as TicketOrder[];

export interface TicketListing {
  filter: TicketFilter;
  /** A part of the title, case-insensitive, or the number. */
  q?: string | undefined;
  sort?: { by: TicketOrder; descending: boolean } | undefined;
}

/** Lists one page, newest first unless sorted, and the total number of matches. */
export async function listTicketRows(
  db: Db,
  tenantId: string,
  { filter, q, sort }: TicketListing,
  page: PageRequest,
): Promise<Counted<TicketRow>> {
  const shown = { list: "tickets", as: "t", columns: COLUMNS } as const;
  const conditions = conditionsOf(filter);
  const within = allOf(conditions);
  const matches = q === undefined ? undefined : isNamed(q);
  if (sort !== undefined) {
    const order = { ...ORDERS[sort.by], descending: sort.descending };
    const where = allOf(matches ? [...conditions, matches] : conditions);
    // A search reads every ticket, whatever the order.
    const indexed = matches === undefined && isIndexed(sort, filter);
    return await sortedPage(db, tenantId, { ...shown, where, order, indexed }, page);
  }
  if (matches !== undefined) return await searchPage(db, tenantId, { ...shown, within, matches }, page);
  const { status, ...others } = filter;
  if (typeof status !== "object" && Object.values(others).every((value) => value === undefined))
    return await countedPage(db, tenantId, { ...shown, variant: status }, page);
  return await filteredPage(db, tenantId, { ...shown, where: within ?? sql`true` }, page);
}

/**
 * Checks for an index with this order. There are indexes by creation, last change and due time (tickets without one
 * last), and by priority within one status.
 */
function isIndexed({ by, descending }: NonNullable<TicketListing["sort"]>, { status }: TicketFilter): boolean {
  if (by === "priority") return descending && typeof status === "string";
  return by !== "dueAt" || !descending;
}

function isNamed(q: string): RawBuilder<unknown> {
  const number = /^#?(\d{1,9})$/.exec(q.trim())?.[1];
  const title = contains("t.title", q);
  return number === undefined ? title : sql`(${title} OR t.number = ${Number(number)})`;
}

function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> | undefined {
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
}

function conditionsOf(filter: TicketFilter): RawBuilder<unknown>[] {
  const { deviceId, anomalyId, dueBefore, not = {}, viewer } = filter;
  const conditions: RawBuilder<unknown>[] = [...createdBetween("t.id", filter), ...propertyConditions(filter)];
  conditions.push(...negated(propertyConditions(not)));
  if (deviceId !== undefined) conditions.push(sql`t.device_id = ${deviceId}`);
  if (anomalyId !== undefined) conditions.push(sql`t.anomaly_id = ${anomalyId}::uuid`);
  if (dueBefore !== undefined)
    conditions.push(sql`t.due_at < ${dueBefore} AND t.status IN ('open', 'in_progress', 'on_hold')`);
  if (viewer !== undefined) conditions.push(visibleTicket(viewer));
  return conditions;
}

function propertyConditions({ status, priority, type, assigneeUserId, groupId }: TicketProperties) {
  const conditions: RawBuilder<unknown>[] = [];
  if (status !== undefined) conditions.push(isOneOf(sql`t.status`, status));
  if (priority !== undefined) conditions.push(isOneOf(sql`t.priority`, priority));
  if (type !== undefined) conditions.push(isOneOf(sql`t.type`, type));
  if (assigneeUserId !== undefined) conditions.push(isOrNone(sql`t.assignee_user_id`, assigneeUserId));
  if (groupId !== undefined) conditions.push(isOrNone(sql`t.group_id`, groupId));
  return conditions;
}

function isOrNone(id: RawBuilder<unknown>, wanted: string | null): RawBuilder<unknown> {
  return wanted === null ? sql`${id} IS NULL` : sql`${id} = ${wanted}::uuid`;
}
