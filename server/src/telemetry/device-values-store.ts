import { type Db, runRaw } from "../db/database.ts";
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

/**
 * The uid of the tenant's device `deviceId`, if `boundedTo` (a user; undefined: no bounds) may see it: the devices of
 * the user's groups (docs/spec-decisions.md, records).
 */
export async function findVisibleDevice(
  db: Db,
  tenantId: string,
  deviceId: string,
  boundedTo: string | undefined,
): Promise<string | undefined> {
  const [device] = await runRaw<{ uid: string }>(
    db,
    `SELECT d.uid FROM devices d
      WHERE d.tenant_id = $1 AND d.id = $2 AND d.deleted_at IS NULL
        AND ($3::uuid IS NULL OR EXISTS (
          SELECT FROM device_groups g JOIN group_members m ON m.group_id = g.group_id
           WHERE g.device_uid = d.uid AND m.user_id = $3::uuid))`,
    [tenantId, deviceId, boundedTo ?? null],
  );
  return device?.uid;
}

/** The latest value of every metric of a device of the tenant, by name. */
export function listLatest(db: Db, tenantId: string, deviceUid: string): Promise<LatestRow[]> {
  return runRaw<LatestRow>(
    db,
    `SELECT l.metric, l.ts, l.number, l.flag, l.text, l.received_at, l.time_replaced
       FROM telemetry_latest l JOIN devices d ON d.uid = l.device_uid
      WHERE d.tenant_id = $1 AND l.device_uid = $2 ORDER BY l.metric COLLATE "C"`,
    [tenantId, deviceUid],
  );
}

/** The rejected messages kept of a device of the tenant, newest first. */
export function listRejected(db: Db, tenantId: string, deviceUid: string): Promise<RejectedRow[]> {
  return runRaw<RejectedRow>(
    db,
    `SELECT r.id, r.at, r.topic, r.reason, r.payload
       FROM rejected_messages r JOIN devices d ON d.uid = r.device_uid
      WHERE d.tenant_id = $1 AND r.device_uid = $2 ORDER BY r.at DESC, r.id DESC LIMIT ${REJECTED_KEPT}`,
    [tenantId, deviceUid],
  );
}
