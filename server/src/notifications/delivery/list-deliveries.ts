import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type DeliveryRow, listDeliveryRows } from "./delivery-store.ts";

export type DeliveryRecord = DeliveryRow;

/**
 * The messages of the tenant or of one anomaly, newest first, with every attempt. A user who is not an admin sees those of the groups
 * they are a member of.
 */
export const listDeliveries = useCase(
  { scope: "groups:read", role: "viewer" },
  async (
    deps: NotificationsDeps,
    caller,
    { anomalyId, limit }: { anomalyId?: string; limit: number },
  ): Promise<DeliveryRecord[]> => {
    if (anomalyId !== undefined && !isUuid(anomalyId)) return [];
    const viewer = boundedToGroupsOf(caller);
    return await listDeliveryRows(deps.database.db, caller.tenantId, { anomalyId, viewer, limit });
  },
);
