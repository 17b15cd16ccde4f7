import { type RawBuilder, type Selectable, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import { keyedRead, readByKey } from "../db/keyed-read.ts";
import type { DevicesTable } from "../db/schema.generated.ts";
import { type CertificateState, certificateState } from "./certificate-state-store.ts";
import { lastSeenAt, withLastSeen } from "./last-seen-store.ts";

export type Connectivity = Selectable<DevicesTable>["connectivity"];

export interface DeviceRow {
  uid: string;
  id: string;
  name: string;
  description: string;
  device_type_id: string | null;
  metadata: Record<string, unknown>;
  hardware_fingerprint: string | null;
  hardware_model: string | null;
  agent_version: string | null;
  agent_capabilities: string[];
  mac_address: string | null;
  connectivity: Connectivity;
  connectivity_since: Date | null;
  connectivity_reason: string | null;
  last_seen_at: Date | null;
  created_at: Date;
  updated_at: Date;
  group_ids: string[];
  threshold_ids: string[];
  certificate_state: CertificateState;
}

/** Returns the device as the caller sees it; `undefined` when it does not exist for this caller. */
export async function findDevice(
  db: Db,
  tenantId: string,
  id: string,
  { viewer }: { viewer?: string | undefined },
  now: Date,
): Promise<DeviceRow | undefined> {
  return await readByKey(db, find, { tenant_id: tenantId, id, viewer, now });
}

/** Returns the SELECT list of the device `d`, with {@link withLastSeen} joined to it. */
export function deviceColumns(now: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`d.uid, d.id, d.name, d.description, d.device_type_id, d.metadata, d.hardware_fingerprint,
    d.hardware_model, d.agent_version, d.agent_capabilities, d.mac_address, d.connectivity, d.connectivity_since,
    d.connectivity_reason, ${lastSeenAt} AS last_seen_at, d.created_at, d.updated_at,
    ARRAY(SELECT g.group_id::text FROM device_groups g WHERE g.device_uid = d.uid ORDER BY g.group_id) AS group_ids,
    ARRAY(SELECT t.threshold_id::text FROM device_thresholds t WHERE t.device_uid = d.uid ORDER BY t.threshold_id)
      AS threshold_ids,
    ${certificateState(now)} AS certificate_state`;
}

interface Lookup {
  tenant_id: string;
  id: string;
  /** Absent for a caller who sees all devices. */
  viewer: string | undefined;
  now: Date;
}

// This is the most frequent statement of the public API: see `npm run bench -- device`.
const find = keyedRead<Lookup, DeviceRow>(
  "find-devices",
  { tenant_id: "uuid", id: "text", viewer: "uuid", now: "timestamptz" },
  (asked) => sql`SELECT ${deviceColumns(asked.now)} FROM devices d ${withLastSeen}
    WHERE d.tenant_id = ${asked.tenant_id} AND d.id = ${asked.id} AND d.deleted_at IS NULL
      AND ${visibleDevice(asked.viewer, "d.uid")}`,
);
