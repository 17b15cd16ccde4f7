import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** The properties of an anomaly that messages contain. */
export interface PagedAnomaly {
  id: string;
  tenant_id: string;
  device_id: string;
  device_name: string;
  place: string | null;
  metric: string | null;
  /** The description of the metric in the device's type. */
  label: string | null;
  unit: string | null;
  value: unknown;
  breached: unknown;
  severity: string;
  status: "open" | "acknowledged" | "resolved";
  message: string;
  opened_at: Date;
  resolved_at: Date | null;
  resolved_by: string | null;
}

/** Reads anomalies by id. */
export async function readAnomalies(db: Db, ids: string[]): Promise<Map<string, PagedAnomaly>> {
  const { rows } = await sql<PagedAnomaly>`
    SELECT a.id, a.tenant_id, a.device_id, d.name AS device_name, d.place, a.metric, m.setting ->> 'label' AS label,
           m.setting ->> 'unit' AS unit, a.value, a.breached, a.severity, a.status, a.message, a.opened_at, a.resolved_at,
           a.resolved_by
      FROM shared_anomalies a JOIN shared_devices d ON d.uid = a.device_uid
      LEFT JOIN LATERAL (SELECT setting FROM shared_device_types y, jsonb_array_elements(y.metrics) AS s (setting)
                          WHERE y.id = d.device_type_id AND s.setting ->> 'metric' = a.metric) m ON true
     WHERE a.id = ANY (${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
