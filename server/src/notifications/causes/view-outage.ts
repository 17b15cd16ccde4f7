import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { findOutageOf, listOutageDevices, type Outage, type OutageDevice } from "./outage-list-store.ts";

/** The outage of an anomaly and its devices; `null` and none if it is of no outage. */
export interface OutageOfAnomaly extends Page<OutageDevice> {
  outage: Outage | null;
}

/**
 * Returns the outage that an anomaly is part of: what its devices have in common, and those that the caller may see,
 * the silent ones first.
 *
 * @throws MusterError not_found (the anomaly)
 */
export const getOutage = useCase(
  { scope: "anomalies:read", role: "viewer" },
  async ({ database: { db } }: NotificationsDeps, caller, id: string, page: PageRequest): Promise<OutageOfAnomaly> => {
    const viewer = boundedToGroupsOf(caller);
    const found = isUuid(id) ? await findOutageOf(db, caller.tenantId, id, viewer) : undefined;
    if (found === undefined) throw notFound("anomaly");
    const { skip, limit } = page;
    if (found === null) return { outage: null, items: [], total: 0, skip, limit };
    const { id: outageId, ...outage } = found;
    const { rows, total } = await listOutageDevices(db, outageId, viewer, page);
    return { outage, items: rows, total, skip, limit };
  },
);
