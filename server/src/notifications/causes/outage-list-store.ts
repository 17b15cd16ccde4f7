import { sql } from "kysely";
import { type Viewer, visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { CauseKind } from "./find-causes.ts";

/** Devices that fell silent together. */
export interface Outage {
  /** The property that the devices share; `all` if nearly all watched devices are silent. */
  kind: CauseKind | "all";
  /** The address, block, node, claim, version, type or group. */
  value: string;
  /** The name of the type or group; `null` for other kinds. */
  label: string | null;
  since: Date;
  /** The silent devices when it was found, those among them that have `value` in common, and all that have. */
  silent: number;
  explained: number;
  sharing: number;
}

/** A device of an outage. */
export interface OutageDevice {
  deviceId: string;
  deviceName: string;
  /** Its silence. */
  anomalyId: string;
  openedAt: Date;
  /** The time at which it spoke again; `null` if it is still silent. */
  resolvedAt: Date | null;
}

/** Returns the outage of an anomaly whose device `viewer` may see; `null` if it is of none, `undefined` without it. */
export async function findOutageOf(
  db: Db,
  tenantId: string,
  anomalyId: string,
  viewer: Viewer,
): Promise<(Outage & { id: string }) | null | undefined> {
  const { rows } = await sql<Outage & { id: string | null }>`
    SELECT o.id, o.kind, o.value, o.since, o.silent, o.explained, o.sharing,
           CASE o.kind WHEN 'type' THEN (SELECT y.name FROM shared_device_types y WHERE y.id = o.value::uuid)
                       WHEN 'group' THEN (SELECT g.name FROM shared_groups g WHERE g.id = o.value::uuid) END AS label
      FROM shared_anomalies a
      LEFT JOIN outage_anomalies m ON m.anomaly_id = a.id
      LEFT JOIN outages o ON o.id = m.outage_id
     WHERE a.tenant_id = ${tenantId} AND a.id = ${anomalyId} AND ${visibleDevice(viewer, "a.device_uid")}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  return row.id === null ? null : { ...row, id: row.id };
}

/** Lists the devices of an outage that `viewer` may see: the silent ones first, then by name. */
export async function listOutageDevices(
  db: Db,
  outageId: string,
  viewer: Viewer,
  { skip, limit }: PageRequest,
): Promise<{ rows: OutageDevice[]; total: number }> {
  const listed = sql`
    FROM outage_anomalies m JOIN shared_anomalies a ON a.id = m.anomaly_id JOIN shared_devices d ON d.uid = a.device_uid
   WHERE m.outage_id = ${outageId} AND ${visibleDevice(viewer, "a.device_uid")}`;
  const { rows } = await sql<OutageDevice>`
    SELECT a.device_id AS "deviceId", d.name AS "deviceName", a.id AS "anomalyId", a.opened_at AS "openedAt",
           a.resolved_at AS "resolvedAt"
    ${listed} ORDER BY a.resolved_at IS NOT NULL, d.name, a.id LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const counted = await sql<{ total: number }>`SELECT count(*)::int AS total ${listed}`.execute(db);
  return { rows, total: counted.rows[0]!.total };
}
