import { type Selectable, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import type { AnomaliesTable } from "../db/schema.generated.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import type { RuleValue } from "./severity.ts";

export interface AnomalyRow
  extends Omit<Selectable<AnomaliesTable>, "tenant_id" | "device_uid" | "certificate_id" | "value" | "breached"> {
  value: MetricValue;
  breached: RuleValue;
}

/** SQL: the columns of an {@link AnomalyRow}, from the table `a`. */
export const COLUMNS = sql`a.id, a.device_id, a.threshold_id, a.rule_id, a.metric, a.value, a.breached, a.severity, a.status, a.message,
  a.opened_at, a.last_observed_at, a.occurrences, a.acknowledged_at, a.acknowledged_by, a.comment, a.resolved_at, a.resolved_by,
  a.end_reason, a.ticket_id`;

/** Finds the anomaly if `viewer` (a user; undefined for every device) may see its device. */
export async function findAnomaly(
  db: Db,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<AnomalyRow | undefined> {
  const { rows } = await sql<AnomalyRow>`SELECT ${COLUMNS} FROM anomalies a
    WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND ${visibleDevice(viewer, "a.device_uid")}`.execute(db);
  return rows[0];
}

/** An acknowledgement: by whom and when. */
export interface Acknowledgement {
  by: string;
  comment: string | null;
  now: Date;
}

/**
 * Records the first acknowledgement of locked anomalies. Fires `anomalies_event_changed`.
 *
 * @returns the ids of those that were not acknowledged before
 */
export async function acknowledgeRows(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
  { by, comment, now }: Acknowledgement,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`UPDATE anomalies a
    SET acknowledged_at = ${now}, acknowledged_by = ${by}, comment = coalesce(${comment}, a.comment),
        status = CASE a.status WHEN 'open' THEN 'acknowledged' ELSE a.status END
    WHERE a.tenant_id = ${tenantId} AND a.id = ANY (${[...ids]}::uuid[]) AND a.acknowledged_at IS NULL
    RETURNING a.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Locks the anomalies that exist and are visible to `viewer`, in the lock order of ingest. @returns their ids */
export async function lockVisible(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
  viewer: string | undefined,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT a.id FROM anomalies a
    WHERE a.tenant_id = ${tenantId} AND a.id = ANY (${[...ids]}::uuid[]) AND ${visibleDevice(viewer, "a.device_uid")}
    ORDER BY a.device_uid, a.rule_id, a.id FOR NO KEY UPDATE OF a`.execute(tx);
  return rows.map(({ id }) => id);
}
