import { type RawBuilder, type Selectable, sql } from "kysely";
import { quotaValue } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import { refusalCode } from "../db/refusal.ts";
import type { TicketHistoryTable, TicketsTable } from "../db/schema.generated.ts";
import { visibleTicket } from "./visibility-store.ts";

/** A ticket as stored. */
export type TicketRow = Omit<Selectable<TicketsTable>, "tenant_id" | "comments">;

/** A history entry, written in the statement or transaction of its change. */
export interface HistoryEntry {
  id: string;
  actor: string;
  at: Date;
  changes: TicketHistoryTable["changes"];
}

/**
 * Inserts a ticket under the tenant's next number, with its first history entry. The counter stays locked until the
 * transaction ends, so nothing after it may wait for a lock. Fires `tickets_event_opened`.
 *
 * @param perMinute the tickets per minute of a tenant without its own quota
 * @returns the number
 * @throws an error for which {@link isTooOften} is true
 */
export async function insertTicket(
  tx: Tx,
  tenantId: string,
  row: Omit<TicketRow, "number">,
  entry: HistoryEntry,
  perMinute: number,
): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    WITH counted AS (
      INSERT INTO ticket_numbers AS n (tenant_id, last) VALUES (${tenantId}, 1)
      ON CONFLICT (tenant_id) DO UPDATE SET last = n.last + 1 RETURNING last),
    made AS (
      INSERT INTO tickets (id, tenant_id, number, title, description, type, priority, status, device_uid, device_id,
        anomaly_id, group_id, assignee_user_id, due_at, resolution, created_by, created_at, updated_at, started_at,
        completed_at)
      SELECT ${row.id}::uuid, ${tenantId}::uuid, last, ${row.title}, ${row.description}, ${row.type}, ${row.priority},
        ${row.status}, ${row.device_uid}::uuid, ${row.device_id}, ${row.anomaly_id}::uuid, ${row.group_id}::uuid,
        ${row.assignee_user_id}::uuid, ${row.due_at}::timestamptz, ${row.resolution}, ${row.created_by},
        ${row.created_at}::timestamptz, ${row.updated_at}::timestamptz, ${row.started_at}::timestamptz,
        ${row.completed_at}::timestamptz
      FROM counted
      WHERE ticket_within_rate(${tenantId}, last, ${ratePerMinute(tenantId, perMinute)}, ${row.created_at}::timestamptz)
      RETURNING number),
    recorded AS (
      INSERT INTO ticket_history (id, tenant_id, ticket_id, at, actor, changes)
      VALUES (${entry.id}, ${tenantId}, ${row.id}, ${entry.at}, ${entry.actor}, ${JSON.stringify(entry.changes)}::jsonb))
    SELECT number FROM made`.execute(tx);
  return rows[0]!.number;
}

/** Checks whether the tenant has reached its tickets per minute. */
export function isTooOften(error: unknown): boolean {
  return refusalCode(error) === "ticket_rate";
}

/**
 * Returns when the first of the tenant's `perMinute` newest tickets was created. Another one is allowed a minute later.
 */
export async function firstOfMinute(db: Db, tenantId: string, perMinute: number): Promise<Date | undefined> {
  const { rows } = await sql<{ created_at: Date }>`
    SELECT t.created_at FROM tickets t
     WHERE t.tenant_id = ${tenantId}
       AND t.number = (SELECT n.last FROM ticket_numbers n WHERE n.tenant_id = ${tenantId})
                      - ${ratePerMinute(tenantId, perMinute)} + 1`.execute(db);
  return rows[0]?.created_at;
}

function ratePerMinute(tenantId: string, usual: number): RawBuilder<number> {
  return quotaValue(sql.lit("ticketsPerMinute"), sql`${tenantId}::uuid`, sql`${usual}`);
}

/** Finds the ticket if `viewer` (a user; undefined for every ticket) may see it. */
export function findTicket(
  db: Db,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<TicketRow | undefined> {
  return selectTicket(db, tenantId, id, viewer, sql``);
}

/** Finds the ticket if `viewer` may see it, and locks its row until the transaction ends. */
export function lockTicket(
  tx: Tx,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<TicketRow | undefined> {
  return selectTicket(tx, tenantId, id, viewer, sql`FOR NO KEY UPDATE OF t`);
}

async function selectTicket(
  db: Db,
  tenantId: string,
  id: string,
  viewer: string | undefined,
  lock: RawBuilder<unknown>,
): Promise<TicketRow | undefined> {
  const { rows } = await sql<TicketRow>`SELECT ${COLUMNS} FROM tickets t
    WHERE t.tenant_id = ${tenantId} AND t.id = ${id} AND ${visibleTicket(viewer)} ${lock}`.execute(db);
  return rows[0];
}

/**
 * Updates a ticket that the transaction has locked, and appends the history entry. Fires `tickets_event_changed`,
 * `tickets_event_edited`.
 */
export async function updateTicket(tx: Tx, tenantId: string, row: TicketRow, entry: HistoryEntry): Promise<void> {
  const { id, number: _, created_by: __, created_at: ___, ...columns } = row;
  await tx.updateTable("tickets").set(columns).where("tenant_id", "=", tenantId).where("id", "=", id).execute();
  await tx
    .insertInto("ticket_history")
    .values({ ...entry, tenant_id: tenantId, ticket_id: id })
    .execute();
}

export const COLUMNS = sql`t.id, t.number, t.title, t.description, t.type, t.priority, t.status, t.device_uid, t.device_id,
  t.anomaly_id, t.group_id, t.assignee_user_id, t.due_at, t.resolution, t.created_by, t.created_at, t.updated_at,
  t.started_at, t.completed_at`;
