import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { readStatement, statement } from "../../db/statement.ts";
import type { DeviceMetadata } from "../condition.ts";
import type { Rule } from "../rule.ts";

export interface WatchedDevice {
  tenantId: string;
  deviceId: string;
  /** A user limited to the devices of their groups; `null` for every device. */
  viewer: string | null;
}

export interface WatchingPackRow {
  id: string;
  name: string;
  rules: Rule[];
  metadata: DeviceMetadata;
}

/**
 * Selects no row if the device does not exist or the viewer may not see it, and a row of `null`s if it has no enabled
 * pack.
 */
const watching = statement<WatchedDevice, WatchingPackRow | { id: null }>(
  "packs-watching-device",
  (p) => sql`
  SELECT t.id, t.name, t.rules, d.metadata
    FROM shared_devices d
    LEFT JOIN LATERAL (
      SELECT o.threshold_id FROM shared_device_thresholds o WHERE o.device_uid = d.uid
      UNION
      SELECT y.threshold_id FROM shared_device_type_thresholds y WHERE y.device_type_id = d.device_type_id) a ON true
    LEFT JOIN thresholds t ON t.id = a.threshold_id AND t.enabled
   WHERE d.tenant_id = ${p.tenantId}::uuid AND d.id = ${p.deviceId}::text AND d.deleted_at IS NULL
     AND ${visibleDevice(p.viewer, "d.uid")}
   ORDER BY t.name COLLATE "C", t.id`,
);

/**
 * Lists the enabled packs that watch a device, its own and its type's, by name; undefined if there is no such device.
 */
export async function listWatchingPacks(db: Db, device: WatchedDevice): Promise<WatchingPackRow[] | undefined> {
  const rows = await readStatement(db, watching, device);
  if (rows.length === 0) return undefined;
  return rows.filter((row) => row.id !== null);
}
