import { sql } from "kysely";
import { boundedToGroupsOf, type Caller, visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { readStatement, statement } from "../../db/statement.ts";
import { isDeviceId } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";

interface DeviceKey {
  tenantId: string;
  deviceId: string;
  viewer: string | null;
}

const findUid = statement<DeviceKey, { uid: string }>(
  "visible-device-uid",
  (p) => sql`
  SELECT d.uid FROM shared_devices d
   WHERE d.tenant_id = ${p.tenantId}::uuid AND d.id = ${p.deviceId}::text AND d.deleted_at IS NULL
     AND ${visibleDevice(p.viewer, "d.uid")}`,
);

/** Returns the uid of a device that the caller may see. @throws MusterError not_found */
export async function visibleDeviceUid(db: Db, caller: Caller, deviceId: string): Promise<string> {
  if (!isDeviceId(deviceId)) throw notFound("device");
  const viewer = boundedToGroupsOf(caller) ?? null;
  const [device] = await readStatement(db, findUid, { tenantId: caller.tenantId, deviceId, viewer });
  if (device === undefined) throw notFound("device");
  return device.uid;
}
