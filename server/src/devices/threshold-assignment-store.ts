import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * Unassigns a threshold pack from every device and device type. Call it before locking the pack: a transaction that
 * unassigns a pack from one device also locks the assignment before the pack. Fires `device_thresholds_unassigned`,
 * `device_type_thresholds_unassigned`.
 */
export async function unassignThreshold(tx: Tx, tenantId: string, thresholdId: string): Promise<void> {
  await sql`DELETE FROM device_thresholds
    WHERE tenant_id = ${tenantId} AND threshold_id = ${thresholdId}`.execute(tx);
  await sql`DELETE FROM device_type_thresholds
    WHERE tenant_id = ${tenantId} AND threshold_id = ${thresholdId}`.execute(tx);
}
