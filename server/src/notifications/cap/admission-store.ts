import { type RawBuilder, sql } from "kysely";
import { quotaValue } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";

export interface MinuteRow {
  tenant_id: string;
  critical_to_channels: number;
  others: number;
}

/** The counts, with the tenant's limit of messages per minute and kind. */
export type CappedMinuteRow = MinuteRow & { most: number };

/** SQL: the tenant's quota, or the default. */
function mostOf(tenant: RawBuilder<unknown>, usual: number): RawBuilder<number> {
  return quotaValue(sql.lit("deliveriesPerMinute"), tenant, sql`${usual}`);
}

/**
 * Locks the counts of the tenants for this transaction, in the order of their ids, and resets them when a new minute
 * has begun. Processes that accept messages of the same tenant wait for each other, so that the counts are exact.
 */
export async function lockMinutes(
  tx: Tx,
  tenantIds: string[],
  minute: Date,
  usual: number,
): Promise<CappedMinuteRow[]> {
  const { rows } = await sql<CappedMinuteRow>`
    INSERT INTO delivery_minutes AS m (tenant_id, minute)
    SELECT id, ${minute} FROM unnest(${tenantIds}::uuid[]) AS id ORDER BY id
    ON CONFLICT (tenant_id) DO UPDATE SET minute = excluded.minute,
           critical_to_channels = CASE WHEN m.minute = excluded.minute THEN m.critical_to_channels ELSE 0 END,
           others = CASE WHEN m.minute = excluded.minute THEN m.others ELSE 0 END
    RETURNING tenant_id, critical_to_channels, others, ${mostOf(sql`m.tenant_id`, usual)} AS most`.execute(tx);
  return rows;
}

/** Stores the counts, and accumulates suppressed messages per minute until {@link takeSuppressed} reports them. */
export async function countMinute(tx: Tx, row: MinuteRow & { minute: Date; suppressed: number }): Promise<void> {
  await sql`UPDATE delivery_minutes SET critical_to_channels = ${row.critical_to_channels}, others = ${row.others}
    WHERE tenant_id = ${row.tenant_id}`.execute(tx);
  if (row.suppressed === 0) return;
  await sql`
    INSERT INTO suppressed_deliveries AS s (tenant_id, minute, suppressed)
    VALUES (${row.tenant_id}, ${row.minute}, ${row.suppressed})
    ON CONFLICT (tenant_id, minute) DO UPDATE SET suppressed = s.suppressed + excluded.suppressed`.execute(tx);
}

/** Returns those of the keys that deliveries already have. */
export async function knownKeys(tx: Tx, keys: readonly Buffer[]): Promise<Set<string>> {
  const { rows } = await sql<{ dedupe: Buffer }>`
    SELECT dedupe FROM deliveries WHERE dedupe IN (
      SELECT decode(key, 'hex') FROM unnest(${keys.map((key) => key.toString("hex"))}::text[]) AS key)`.execute(tx);
  return new Set(rows.map(({ dedupe }) => dedupe.toString("hex")));
}

export interface SuppressedRow {
  tenant_id: string;
  minute: Date;
  suppressed: number;
  /** The tenant's quota. */
  most: number;
}

/**
 * Takes the counts of suppressed messages in minutes before `before`, for reporting. Takes at most `limit`, and skips
 * rows that other processes have locked.
 */
export async function takeSuppressed(tx: Tx, before: Date, limit: number, usual: number): Promise<SuppressedRow[]> {
  const { rows } = await sql<SuppressedRow>`
    WITH picked AS MATERIALIZED (
      SELECT tenant_id, minute FROM suppressed_deliveries WHERE minute < ${before}
       ORDER BY minute LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    DELETE FROM suppressed_deliveries s USING picked WHERE s.tenant_id = picked.tenant_id AND s.minute = picked.minute
    RETURNING s.tenant_id, s.minute, s.suppressed, ${mostOf(sql`s.tenant_id`, usual)} AS most`.execute(tx);
  return rows;
}
