import { sql } from "kysely";
import { type ViewedGroups, visibleDevice } from "../../../access/access.ts";
import type { Db } from "../../../db/database.ts";

/** Devices by their ids, groups and types; a device that is named by all given lists. */
export interface FleetFilter {
  deviceIds?: readonly string[] | undefined;
  groupIds?: readonly string[] | undefined;
  deviceTypeIds?: readonly string[] | undefined;
}

export interface FleetDevice {
  uid: string;
  id: string;
  /** Every metric that the device has ever sent, in order. */
  metrics: string[];
}

interface FleetRequest {
  tenantId: string;
  viewer: ViewedGroups | undefined;
  filter: FleetFilter;
  /** The id of the first device; `""` to begin. */
  from: string;
  most: number;
}

/** Selects devices with their metrics, ordered by id. */
export async function selectFleet(
  db: Db,
  { tenantId, viewer, filter, from, most }: FleetRequest,
): Promise<FleetDevice[]> {
  const { deviceIds, groupIds, deviceTypeIds } = filter;
  const conditions = [visibleDevice(viewer, "d.uid")];
  if (deviceIds) conditions.push(sql`d.id = ANY (${[...deviceIds]}::text[])`);
  if (deviceTypeIds) conditions.push(sql`d.device_type_id::text = ANY (${[...deviceTypeIds]}::text[])`);
  if (groupIds)
    conditions.push(sql`EXISTS (SELECT FROM shared_device_groups g
      WHERE g.device_uid = d.uid AND g.group_id::text = ANY (${[...groupIds]}::text[]))`);
  const { rows } = await sql<FleetDevice>`
    SELECT f.uid, f.id, ARRAY(
             SELECT DISTINCT m.metric COLLATE "C" AS metric
               FROM telemetry_shapes s CROSS JOIN LATERAL unnest(s.metrics) m (metric)
              WHERE s.device_uid = f.uid ORDER BY 1) AS metrics
      FROM (SELECT d.uid, d.id FROM shared_devices d
             WHERE d.tenant_id = ${tenantId}::uuid AND d.deleted_at IS NULL AND d.id >= ${from}::text
               AND ${sql.join(conditions, sql` AND `)}
             ORDER BY d.id LIMIT ${most}::integer) f ORDER BY f.id`.execute(db);
  return rows;
}
