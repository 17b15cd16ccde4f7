import type { Tx } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { assignPacks, hasDeviceType, joinGroups } from "./device-store.ts";

/**
 * Assigns the records that a device refers to by id. Ids of other tenants are treated as unknown
 * (docs/api-conventions.md).
 */

/** @throws MusterError invalid_request with the id in `detail` */
export async function requireDeviceType(tx: Tx, tenantId: string, id: string): Promise<void> {
  if (!isUuid(id) || !(await hasDeviceType(tx, tenantId, id)))
    throw invalidRequest("There is no such device type.", id);
}

/**
 * Adds the device to all of these groups.
 *
 * @throws MusterError invalid_request: too many, or an unknown id in `detail`
 */
export async function assignGroups(tx: Tx, tenantId: string, uid: string, groupIds: readonly string[]): Promise<void> {
  requireAtMost(records.groupsOfDevice.value, "groups", "groupIds", groupIds);
  const joined = await joinGroups(tx, tenantId, uid, groupIds.filter(isUuid));
  const unknown = groupIds.find((id) => !joined.has(id));
  if (unknown !== undefined) throw invalidRequest("There is no such group.", unknown);
}

/**
 * Assigns all of these packs to the device.
 *
 * @throws MusterError invalid_request: too many, or an unknown id in `detail`
 */
export async function assignThresholds(
  tx: Tx,
  tenantId: string,
  uid: string,
  thresholdIds: readonly string[],
): Promise<void> {
  requireAtMost(records.thresholdsOfDevice.value, "threshold packs", "thresholdIds", thresholdIds);
  const assigned = await assignPacks(tx, tenantId, uid, thresholdIds.filter(isUuid));
  const unknown = thresholdIds.find((id) => !assigned.has(id));
  if (unknown !== undefined) throw invalidRequest("There is no such threshold pack.", unknown);
}

function requireAtMost(most: number, what: string, field: string, ids: readonly string[]): void {
  if (ids.length > most) throw invalidRequest(`A device has at most ${most} ${what}.`, field);
}
