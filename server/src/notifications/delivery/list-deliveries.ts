import { boundedToGroupsOf, useCase, userIdOf } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type Obstacle, obstacleOf } from "../obstacle.ts";
import { type DeliveryFilter, type DeliveryRecord, listDeliveryRows } from "./delivery-list-store.ts";

export interface DeliveryQuery extends Omit<DeliveryFilter, "viewer" | "asking">, PageRequest {}

export interface ListedDelivery extends DeliveryRecord {
  /** The reason a pending message cannot be sent now. */
  obstacle: Obstacle | null;
}

/**
 * Lists the tenant's messages, newest first, with every attempt. A user who is not an admin sees the messages of their
 * groups, and their own. An anomaly or group of another tenant yields none.
 */
export const listDeliveries = useCase(
  { scope: "groups:read", role: "viewer" },
  async (deps: NotificationsDeps, caller, query: DeliveryQuery): Promise<Page<ListedDelivery>> => {
    const [page, filter] = splitPage(query);
    const { skip, limit } = page;
    const { anomalyId, groupId } = filter;
    if ([anomalyId, groupId].some((id) => id !== undefined && !isUuid(id))) return { items: [], total: 0, skip, limit };
    const wanted = { ...filter, viewer: boundedToGroupsOf(caller), asking: userIdOf(caller) };
    const { rows, ...counted } = await listDeliveryRows(deps.database.db, caller.tenantId, wanted, page);
    const items = rows.map((row) => ({
      ...row,
      obstacle: row.state === "pending" ? obstacleOf(deps, row.channel) : null,
    }));
    return { items, ...counted, skip, limit };
  },
);
