import { boundedToGroupsOf, groupsOfViewer, useCase } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import type { DevicesDeps } from "../deps.ts";
import { type DeviceRecord, toRecord } from "../view-devices.ts";
import type { DeviceFilter, DeviceProperties } from "./device-conditions-store.ts";
import { type DeviceListing, listDeviceRows } from "./device-list-store.ts";

export interface DeviceQuery extends PageRequest, Omit<DeviceFilter, "viewer">, Omit<DeviceListing, "filter"> {}

/**
 * Lists devices, newest first unless sorted. A group or type that is not the tenant's matches nothing.
 *
 * @throws MusterError invalid_request, rate_limited for a search that is too long
 */
export const listDevices = useCase(
  { scope: "devices:read", role: "viewer" },
  async (deps: DevicesDeps, caller, query: DeviceQuery): Promise<Page<DeviceRecord>> => {
    const [page, { q, metadata, changedSince, sort, ...wanted }] = splitPage(query);
    const { skip, limit } = page;
    const isUnstorable = [q, metadata?.key, metadata?.value].some((text) => text?.includes("\0"));
    if (namesUnknown(wanted) || isUnstorable) return { items: [], total: 0, skip, limit };
    const { db } = deps.database;
    const viewer = await groupsOfViewer(db, boundedToGroupsOf(caller));
    // Every device that such a user sees is in a group.
    if (viewer !== undefined && wanted.groupId === null) return { items: [], total: 0, skip, limit };
    const listing = { filter: { ...wanted, not: withoutUnknown(wanted.not), viewer }, q, metadata, changedSince, sort };
    const { rows, ...total } = await listDeviceRows(db, caller.tenantId, listing, page, deps.clock.now());
    return { items: rows.map(toRecord), ...total, skip, limit };
  },
);

/** Returns whether the group, the type or the pack cannot exist. */
function namesUnknown({ groupId, deviceTypeId, thresholdId }: DeviceProperties): boolean {
  return [groupId, deviceTypeId, thresholdId].some((id) => typeof id === "string" && !isUuid(id));
}

/** Returns the excluded properties without those that no device can have. */
function withoutUnknown({ groupId, deviceTypeId, thresholdId, ...others }: DeviceProperties = {}): DeviceProperties {
  const possible = <T extends string | null | undefined>(id: T) =>
    typeof id === "string" && !isUuid(id) ? undefined : id;
  return {
    ...others,
    groupId: possible(groupId),
    deviceTypeId: possible(deviceTypeId),
    thresholdId: possible(thresholdId),
  };
}
