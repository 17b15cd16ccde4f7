import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { isVisibleAnomaly, listPageRows, type PageRecord } from "./page-list-store.ts";

/**
 * Lists the escalation steps of an anomaly in the order in which they are due, including future ones. A user who is not
 * an admin sees only their own groups' steps.
 *
 * @throws MusterError not_found, also if the caller may not see the device
 */
export const listPages = useCase(
  { scope: "groups:read", role: "viewer" },
  async ({ database: { db } }: NotificationsDeps, caller, anomalyId: string): Promise<PageRecord[]> => {
    const viewer = boundedToGroupsOf(caller);
    if (!isUuid(anomalyId) || !(await isVisibleAnomaly(db, caller.tenantId, anomalyId, viewer)))
      throw notFound("anomaly");
    return await listPageRows(db, caller.tenantId, anomalyId, viewer);
  },
);
