import { sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import { readStatement, runStatement, statement } from "../db/statement.ts";
import { REJECTED_KEPT } from "./ingest/telemetry-store.ts";

export interface LatestRow {
  metric: string;
  ts: Date;
  number: number | null;
  flag: boolean | null;
  text: string | null;
  received_at: Date;
  time_replaced: boolean;
}

export interface RejectedRow {
  id: string;
  at: Date;
  topic: string;
  reason: string;
  payload: Buffer;
}

const deviceUid = statement<{ tenantId: string; deviceId: string; viewer: string | null }, { uid: string }>(
  "visible-device-uid",
  (p) => sql`
  SELECT d.uid FROM shared_devices d
   WHERE d.tenant_id = ${p.tenantId}::uuid AND d.id = ${p.deviceId}::text AND d.deleted_at IS NULL
     AND ${visibleDevice(p.viewer, "d.uid")}`,
);

/** The uid of the tenant's device `deviceId` if `viewer` (a user; undefined: every device) may see it. */
export async function findVisibleDevice(
  db: Db,
  tenantId: string,
  deviceId: string,
  viewer: string | undefined,
): Promise<string | undefined> {
  const [device] = await readStatement(db, deviceUid, { tenantId, deviceId, viewer: viewer ?? null });
  return device?.uid;
}

const latestValues = statement<{ tenantId: string; deviceUid: string }, LatestRow>(
  "latest-values",
  (p) => sql`
  SELECT l.metric, l.ts, l.number, l.flag, l.text, l.received_at, l.time_replaced
    FROM telemetry_latest l JOIN shared_devices d ON d.uid = l.device_uid
   WHERE d.tenant_id = ${p.tenantId}::uuid AND l.device_uid = ${p.deviceUid}::uuid
   ORDER BY l.metric COLLATE "C"`,
);

/** The latest value of every metric of a device of the tenant, by name. */
export async function listLatest(db: Db, tenantId: string, deviceUid: string): Promise<LatestRow[]> {
  return await runStatement(db, latestValues, { tenantId, deviceUid });
}

const rejectedMessages = statement<{ tenantId: string; deviceUid: string }, RejectedRow>(
  "rejected-messages",
  (p) => sql`
  SELECT r.id, r.at, r.topic, r.reason, r.payload
    FROM rejected_messages r JOIN shared_devices d ON d.uid = r.device_uid
   WHERE d.tenant_id = ${p.tenantId}::uuid AND r.device_uid = ${p.deviceUid}::uuid
   ORDER BY r.at DESC, r.id DESC LIMIT ${sql.lit(REJECTED_KEPT)}`,
);

/** The stored rejected messages of a device of the tenant, newest first. */
export async function listRejected(db: Db, tenantId: string, deviceUid: string): Promise<RejectedRow[]> {
  return await runStatement(db, rejectedMessages, { tenantId, deviceUid });
}
