import { type RawBuilder, sql } from "kysely";
import { type ViewedGroups, visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";
import { createdBetween, type Period } from "../lists/created-between.ts";
import { isOneOf } from "../lists/one-of.ts";
import { sortedPage } from "../lists/sorted-page.ts";
import { ANOMALY_STATUSES, type AnomalyCause, type AnomalyStatus } from "./anomaly-record.ts";
import { type AnomalyRow, COLUMNS } from "./anomaly-store.ts";
import type { Severity } from "./severity.ts";

/** Properties to match. If a property has several values, any of them matches. */
export interface AnomalyProperties {
  status?: AnomalyStatus | readonly AnomalyStatus[] | undefined;
  severity?: Severity | readonly Severity[] | undefined;
}

/** A filter for anomalies. `from` and `to` refer to the opening time. */
export interface AnomalyFilter extends AnomalyProperties, Period {
  deviceId?: string | undefined;
  /** Matches devices that are currently in the group. */
  groupId?: string | undefined;
  /** Matches devices that currently have the type. */
  deviceTypeId?: string | undefined;
  /** Matches rules of this threshold pack. */
  thresholdId?: string | undefined;
  cause?: AnomalyCause | undefined;
  /** Properties that an anomaly must not have. */
  not?: AnomalyProperties | undefined;
  /** Matches only devices visible to a user with these groups. */
  viewer?: ViewedGroups | undefined;
}

/** The supported sort orders. Without an order, and among equals, the newest comes first. */
const ORDERS = {
  openedAt: { by: sql`a.id`, type: "uuid" },
  lastObservedAt: { by: sql`a.last_observed_at`, type: "timestamptz" },
  severity: {
    by: sql`CASE a.severity WHEN 'critical' THEN '3' WHEN 'major' THEN '2' WHEN 'minor' THEN '1' ELSE '0' END`,
    type: "text",
  },
} as const;

export type AnomalyOrder = keyof typeof ORDERS;
export const ANOMALY_ORDERS = Object.keys(ORDERS) as AnomalyOrder[];

export interface AnomalySort {
  by: AnomalyOrder;
  descending: boolean;
}

/** Lists one page, newest first unless sorted, and the total number of matches. */
export async function listAnomalyRows(
  db: Db,
  tenantId: string,
  { filter, sort }: { filter: AnomalyFilter; sort?: AnomalySort | undefined },
  page: PageRequest,
): Promise<Counted<AnomalyRow>> {
  const shown = { list: "anomalies", as: "a", columns: COLUMNS } as const;
  const statuses = statusesOf(filter);
  const others = otherConditions(filter);
  const conditions = [...(statuses ? [inStatus(statuses)] : []), ...others];
  const where = conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
  if (sort !== undefined) {
    const order = { ...ORDERS[sort.by], descending: sort.descending };
    return await sortedPage(db, tenantId, { ...shown, where, order, indexed: sort.by === "openedAt" }, page);
  }
  if (where === undefined) return await countedPage(db, tenantId, shown, page);
  if (others.length === 0 && statuses?.length === 1)
    return await countedPage(db, tenantId, { ...shown, variant: statuses[0] }, page);
  return await filteredPage(db, tenantId, { ...shown, where }, page);
}

/** Returns the statuses that the filter admits, or `undefined` for all. */
function statusesOf({ status, not }: AnomalyFilter): AnomalyStatus[] | undefined {
  if (status === undefined && not?.status === undefined) return undefined;
  const wanted = new Set([status ?? ANOMALY_STATUSES].flat());
  const unwanted = new Set([not?.status ?? []].flat());
  return ANOMALY_STATUSES.filter((each) => wanted.has(each) && !unwanted.has(each));
}

const CAUSES: Readonly<Record<AnomalyCause, RawBuilder<unknown>>> = {
  rule: sql`a.rule_id IS NOT NULL`,
  silence: sql`a.rule_id IS NULL AND a.certificate_id IS NULL`,
  renewal: sql`a.certificate_id IS NOT NULL`,
};

const UNRESOLVED = ANOMALY_STATUSES.filter((status) => status !== "resolved");

/**
 * Filters by status, by the conditions for which there are indexes: a single status, or all unresolved ones, which are
 * few compared with the resolved. Never combines both conditions: PostgreSQL would take them for independent and expect
 * far too few rows.
 */
function inStatus(statuses: readonly AnomalyStatus[]): RawBuilder<unknown> {
  const areUnresolved = statuses.length === UNRESOLVED.length && !statuses.includes("resolved");
  return areUnresolved ? sql`a.resolved_at IS NULL` : isOneOf(sql`a.status`, statuses);
}

function otherConditions({
  deviceId,
  groupId,
  deviceTypeId,
  thresholdId,
  cause,
  severity,
  not,
  viewer,
  ...period
}: AnomalyFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [...createdBetween("a.id", period)];
  if (deviceId !== undefined) conditions.push(sql`a.device_id = ${deviceId}`);
  if (groupId !== undefined) conditions.push(visibleDevice({ groupIds: [groupId] }, "a.device_uid"));
  if (deviceTypeId !== undefined)
    conditions.push(sql`EXISTS (SELECT FROM shared_devices d
      WHERE d.uid = a.device_uid AND d.device_type_id = ${deviceTypeId}::uuid)`);
  if (thresholdId !== undefined) conditions.push(sql`a.threshold_id = ${thresholdId}::uuid`);
  if (cause !== undefined) conditions.push(CAUSES[cause]);
  if (severity !== undefined) conditions.push(isOneOf(sql`a.severity`, severity));
  if (not?.severity !== undefined) conditions.push(sql`NOT ${isOneOf(sql`a.severity`, not.severity)}`);
  if (viewer !== undefined) conditions.push(visibleDevice(viewer, "a.device_uid"));
  return conditions;
}
