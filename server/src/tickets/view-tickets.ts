import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import type { Changes } from "./changes.ts";
import type { TicketsDeps } from "./deps.ts";
import { listHistoryRows } from "./history-store.ts";
import { listTicketRows } from "./ticket-list-store.ts";
import { type TicketRecord, toRecord } from "./ticket-record.ts";
import { findTicket } from "./ticket-store.ts";
import type { TicketStatus } from "./transitions.ts";

export interface TicketQuery extends PageRequest {
  status?: TicketStatus | undefined;
  deviceId?: string | undefined;
  assigneeUserId?: string | undefined;
}

/** One change of a ticket; the oldest is its opening. */
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

/** Newest first. A device or a user that is not the tenant's matches nothing. */
export const listTickets = useCase(
  { scope: "tickets:read", role: "viewer" },
  async (deps: TicketsDeps, caller, query: TicketQuery): Promise<Page<TicketRecord>> => {
    const { skip, limit, ...filter } = query;
    const { deviceId, assigneeUserId } = filter;
    const impossible =
      (deviceId !== undefined && !isDeviceId(deviceId)) || (assigneeUserId !== undefined && !isUuid(assigneeUserId));
    if (impossible) return { items: [], total: 0, skip, limit };
    const bounded = { ...filter, viewer: boundedToGroupsOf(caller) };
    const { rows, total } = await listTicketRows(deps.database.db, caller.tenantId, bounded, { skip, limit });
    return { items: rows.map(toRecord), total, skip, limit };
  },
);

/** What happened to a ticket, newest first. @throws MusterError not_found */
export const listTicketHistory = useCase(
  { scope: "tickets:read", role: "viewer" },
  async (deps: TicketsDeps, caller, id: string, page: PageRequest): Promise<Page<TicketHistoryEntry>> => {
    await getTicket(deps, caller, id);
    const { rows, total } = await listHistoryRows(deps.database.db, caller.tenantId, id, page);
    return { items: rows, total, ...page };
  },
);
