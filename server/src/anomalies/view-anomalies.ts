import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import { type Anomaly, toAnomaly } from "./anomaly-record.ts";
import { type AnomalyFilter, findAnomaly, listAnomalyRows } from "./anomaly-store.ts";
import type { AnomaliesDeps } from "./deps.ts";

export type AnomalyQuery = Omit<AnomalyFilter, "viewer"> & PageRequest;

/** Newest first. A device of another tenant has none. */
export const listAnomalies = useCase(
  { scope: "anomalies:read", role: "viewer" },
  async (deps: AnomaliesDeps, caller, query: AnomalyQuery): Promise<Page<Anomaly>> => {
    const { skip, limit, ...filter } = query;
    if (query.deviceId !== undefined && !isDeviceId(query.deviceId)) return { items: [], total: 0, skip, limit };
    const bounded = { ...filter, viewer: boundedToGroupsOf(caller) };
    const { rows, total } = await listAnomalyRows(deps.database.db, caller.tenantId, bounded, { skip, limit });
    return { items: rows.map(toAnomaly), total, skip, limit };
  },
);

/** @throws MusterError not_found, also for a caller who does not see the device */
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
