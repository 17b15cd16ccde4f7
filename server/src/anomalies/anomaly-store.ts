import { type RawBuilder, type Selectable, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import type { AnomaliesTable } from "../db/schema.generated.ts";
import { uuidFloor } from "../lib/ids.ts";
import type { PageRequest } from "../lib/page.ts";
import { countedPage, filteredPage } from "../lists/counted-page.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import type { RuleValue, Severity } from "./severity.ts";

export interface AnomalyRow
  extends Omit<Selectable<AnomaliesTable>, "tenant_id" | "device_uid" | "value" | "breached"> {
  value: MetricValue;
  breached: RuleValue;
}

export interface AnomalyFilter {
  deviceId?: string | undefined;
  status?: AnomalyRow["status"] | undefined;
  severity?: Severity | undefined;
  /** Opened at this instant or later. */
  from?: Date | undefined;
  /** Opened before this instant. */
  to?: Date | undefined;
  /** Only of devices that this user may see. */
  viewer?: string | undefined;
}

/** What an {@link AnomalyRow} is read from; the table is called `a`. */
const COLUMNS = sql`a.id, a.device_id, a.threshold_id, a.rule_id, a.metric, a.value, a.breached, a.severity, a.status, a.message,
  a.opened_at, a.last_observed_at, a.occurrences, a.acknowledged_at, a.acknowledged_by, a.comment, a.resolved_at, a.resolved_by,
  a.end_reason, a.ticket_id`;

/** The anomaly, if `viewer` (a user; undefined: every device) may see its device. */
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

/**
 * Records the first acknowledgement of an anomaly.
 *
 * @returns the row as it is now; `undefined` when it was acknowledged before, or is not visible to `viewer`
 */
export async function acknowledgeRow(
  tx: Tx,
  tenantId: string,
  id: string,
  viewer: string | undefined,
  { by, comment, now }: { by: string; comment: string | null; now: Date },
): Promise<AnomalyRow | undefined> {
  const { rows } = await sql<AnomalyRow>`UPDATE anomalies a
    SET acknowledged_at = ${now}, acknowledged_by = ${by}, comment = coalesce(${comment}, a.comment),
        status = CASE a.status WHEN 'open' THEN 'acknowledged' ELSE a.status END
    WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND a.acknowledged_at IS NULL AND ${visibleDevice(viewer, "a.device_uid")}
    RETURNING ${COLUMNS}`.execute(tx);
  return rows[0];
}

/** One page, newest first, and how many match. */
export function listAnomalyRows(
  db: Db,
  tenantId: string,
  filter: AnomalyFilter,
  page: PageRequest,
): Promise<{ rows: AnomalyRow[]; total: number }> {
  const shown = { list: "anomalies", as: "a", columns: COLUMNS } as const;
  const { status, ...others } = filter;
  if (Object.values(others).every((value) => value === undefined)) {
    return countedPage(db, tenantId, { ...shown, variant: status }, page);
  }
  return filteredPage(db, tenantId, { ...shown, where: matching(filter) }, page);
}

/** An id begins with the millisecond in which the anomaly opened, so a period is a range of the list's own index. */
function matching(filter: AnomalyFilter): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (filter.deviceId !== undefined) conditions.push(sql`a.device_id = ${filter.deviceId}`);
  if (filter.status !== undefined) conditions.push(sql`a.status = ${filter.status}`);
  if (filter.severity !== undefined) conditions.push(sql`a.severity = ${filter.severity}`);
  if (filter.from !== undefined) conditions.push(sql`a.id >= ${uuidFloor(filter.from)}::uuid`);
  if (filter.to !== undefined) conditions.push(sql`a.id < ${uuidFloor(filter.to)}::uuid`);
  if (filter.viewer !== undefined) conditions.push(visibleDevice(filter.viewer, "a.device_uid"));
  return sql.join(conditions, sql` AND `);
}
