import type { Tx } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { hasDeviceType, joinGroups, watchWith } from "./device-store.ts";

/** What a device is tied to by id. Ids of other tenants are unknown like any other (docs/api-conventions.md). */

/** @throws MusterError invalid_request with the id in `detail` */
export async function requireDeviceType(tx: Tx, tenantId: string, id: string): Promise<void> {
  if (!isUuid(id) || !(await hasDeviceType(tx, tenantId, id)))
    throw invalidRequest("There is no such device type.", id);
}

/** Puts the device into all of these groups. @throws MusterError invalid_request with an unknown id in `detail` */
export async function assignGroups(tx: Tx, tenantId: string, uid: string, groupIds: readonly string[]): Promise<void> {
  const joined = await joinGroups(tx, tenantId, uid, groupIds.filter(isUuid));
  const unknown = groupIds.find((id) => !joined.has(id));
  if (unknown !== undefined) throw invalidRequest("There is no such group.", unknown);
}

/** Puts all of these packs on the device. @throws MusterError invalid_request with an unknown id in `detail` */
export async function assignThresholds(
  tx: Tx,
  tenantId: string,
  uid: string,
  thresholdIds: readonly string[],
): Promise<void> {
  const watching = await watchWith(tx, tenantId, uid, thresholdIds.filter(isUuid));
  const unknown = thresholdIds.find((id) => !watching.has(id));
  if (unknown !== undefined) throw invalidRequest("There is no such threshold pack.", unknown);
}
