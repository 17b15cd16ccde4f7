import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isDeviceId, isUuid } from "../../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { Changes } from "../changes.ts";
import type { TicketsDeps } from "../deps.ts";
import { listHistoryRows } from "../history-store.ts";
import { type TicketRecord, toRecord } from "../ticket-record.ts";
import { findTicket } from "../ticket-store.ts";
import { listTicketRows, type TicketFilter, type TicketListing } from "./ticket-list-store.ts";

export interface TicketQuery
  extends PageRequest,
    Omit<TicketFilter, "viewer" | "dueBefore">,
    Pick<TicketListing, "q" | "sort"> {
  /** Matches only unfinished tickets that are already due. */
  overdue?: boolean | undefined;
}

/** A change of a ticket; the oldest one is its opening. */
export interface TicketHistoryEntry {
  id: string;
  at: Date;
  actor: string;
  changes: Changes;
}

/** @throws MusterError not_found */
export const getTicket = useCase(
  { scope: "tickets:read", role: "viewer" },
  async (deps: TicketsDeps, caller, id: string): Promise<TicketRecord> => {
    const { db } = deps.database;
    const row = isUuid(id) ? await findTicket(db, caller.tenantId, id, boundedToGroupsOf(caller)) : undefined;
    if (!row) throw notFound("ticket");
    return toRecord(row);
  },
);

/**
 * Lists tickets, newest first unless sorted. Ids of other tenants match nothing.
 *
 * @throws MusterError invalid_request, rate_limited for a search that is too long
 */
export const listTickets = useCase(
  { scope: "tickets:read", role: "viewer" },
  async (deps: TicketsDeps, caller, query: TicketQuery): Promise<Page<TicketRecord>> => {
    const [page, { q, sort, overdue, ...wanted }] = splitPage(query);
    const { skip, limit } = page;
    if (namesUnknown(wanted) || q?.includes("\0")) return { items: [], total: 0, skip, limit };
    const dueBefore = overdue ? deps.clock.now() : undefined;
    const filter = { ...wanted, not: known(wanted.not), dueBefore, viewer: boundedToGroupsOf(caller) };
    const { rows, ...counted } = await listTicketRows(deps.database.db, caller.tenantId, { filter, q, sort }, page);
    return { items: rows.map(toRecord), ...counted, skip, limit };
  },
);

type Wanted = Omit<TicketFilter, "viewer" | "dueBefore">;

/** Checks whether the query contains an id that no record can have. */
function namesUnknown({ deviceId, anomalyId, assigneeUserId, groupId }: Wanted): boolean {
  if (deviceId !== undefined && !isDeviceId(deviceId)) return true;
  return [anomalyId, assigneeUserId, groupId].some((id) => typeof id === "string" && !isUuid(id));
}

/** Drops ids that no ticket can have from a negated filter, since every ticket lacks them. */
function known({ assigneeUserId, groupId, ...others }: NonNullable<Wanted["not"]> = {}): Wanted["not"] {
  const possible = (id: string | null | undefined) => (typeof id === "string" && !isUuid(id) ? undefined : id);
  const not = { ...others, assigneeUserId: possible(assigneeUserId), groupId: possible(groupId) };
  return Object.values(not).every((value) => value === undefined) ? undefined : not;
}

/** Lists the history of a ticket, newest first. @throws MusterError not_found */
export const listTicketHistory = useCase(
  { scope: "tickets:read", role: "viewer" },
  async (deps: TicketsDeps, caller, id: string, page: PageRequest): Promise<Page<TicketHistoryEntry>> => {
    await getTicket(deps, caller, id);
    const { rows, total } = await listHistoryRows(deps.database.db, caller.tenantId, id, page);
    return { items: rows, total, ...page };
  },
);
