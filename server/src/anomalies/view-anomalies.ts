import { boundedToGroupsOf, groupsOfViewer, useCase } from "../access/access.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import { type AnomalyFilter, type AnomalySort, listAnomalyRows } from "./anomaly-list-store.ts";
import { type Anomaly, toAnomaly } from "./anomaly-record.ts";
import { findAnomaly } from "./anomaly-store.ts";
import type { AnomaliesDeps } from "./deps.ts";

export interface AnomalyQuery extends Omit<AnomalyFilter, "viewer">, PageRequest {
  sort?: AnomalySort | undefined;
}

/**
 * Lists anomalies, newest first unless sorted. A device of another tenant yields none.
 *
 * @throws MusterError rate_limited for a sorted list, if too many of the tenant's are waiting
 */
export const listAnomalies = useCase(
  { scope: "anomalies:read", role: "viewer" },
  async (deps: AnomaliesDeps, caller, query: AnomalyQuery): Promise<Page<Anomaly>> => {
    const [page, { sort, ...filter }] = splitPage(query);
    const { skip, limit } = page;
    const { deviceId, groupId, deviceTypeId, thresholdId } = query;
    const unknown = [groupId, deviceTypeId, thresholdId].some((id) => id !== undefined && !isUuid(id));
    if (unknown || (deviceId !== undefined && !isDeviceId(deviceId))) return { items: [], total: 0, skip, limit };
    const { db } = deps.database;
    const viewer = await groupsOfViewer(db, boundedToGroupsOf(caller));
    const listing = { filter: { ...filter, viewer }, sort };
    const { rows, ...counted } = await listAnomalyRows(db, caller.tenantId, listing, page);
    return { items: rows.map(toAnomaly), ...counted, skip, limit };
  },
);

/** @throws MusterError not_found, also if the caller may not see the device */
export const getAnomaly = useCase(
  { scope: "anomalies:read", role: "viewer" },
  async (deps: AnomaliesDeps, caller, id: string): Promise<Anomaly> => {
    const row = isUuid(id)
      ? await findAnomaly(deps.database.db, caller.tenantId, id, boundedToGroupsOf(caller))
      : undefined;
    if (!row) throw notFound("anomaly");
    return toAnomaly(row);
  },
);
