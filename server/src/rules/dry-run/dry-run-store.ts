import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { DeviceMetadata } from "../condition.ts";

export interface DryRunDevice {
  uid: string;
  id: string;
  metadata: DeviceMetadata;
}

/**
 * The devices of a dry run: one by id, or those of a type, as far as `viewer` (a user; null for every device) may see
 * them.
 */
export interface DryRunScope {
  tenantId: string;
  deviceId: string | null;
  deviceTypeId: string | null;
  viewer: string | null;
  limit: number;
}

const devices = statement<DryRunScope, DryRunDevice>(
  "dry-run-devices",
  (p) => sql`
  SELECT d.uid, d.id, d.metadata FROM shared_devices d
   WHERE d.tenant_id = ${p.tenantId}::uuid AND d.deleted_at IS NULL
     AND (${p.deviceId}::text IS NULL OR d.id = ${p.deviceId}::text)
     AND (${p.deviceTypeId}::uuid IS NULL OR d.device_type_id = ${p.deviceTypeId}::uuid)
     AND ${visibleDevice(p.viewer, "d.uid")}
   ORDER BY d.id LIMIT ${p.limit}::integer`,
);

/** Lists the devices, by id. */
export async function listDryRunDevices(db: Db, scope: DryRunScope): Promise<DryRunDevice[]> {
  return await runStatement(db, devices, scope);
}
