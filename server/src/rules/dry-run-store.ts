import { type Db, runPrepared, runRaw } from "../db/database.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";

export interface DryRunDevice {
  uid: string;
  id: string;
}

/**
 * The tenant's devices of an id or of a type that `boundedTo` (a user; undefined: no bounds) may see, by id.
 */
export function listDryRunDevices(
  db: Db,
  tenantId: string,
  { deviceId, deviceTypeId }: { deviceId?: string | undefined; deviceTypeId?: string | undefined },
  boundedTo: string | undefined,
  limit: number,
): Promise<DryRunDevice[]> {
  return runRaw<DryRunDevice>(
    db,
    `SELECT d.uid, d.id FROM devices d
      WHERE d.tenant_id = $1 AND d.deleted_at IS NULL
        AND ($2::text IS NULL OR d.id = $2) AND ($3::uuid IS NULL OR d.device_type_id = $3::uuid)
        AND ($4::uuid IS NULL OR EXISTS (
          SELECT FROM device_groups g JOIN group_members m ON m.group_id = g.group_id
           WHERE g.device_uid = d.uid AND m.user_id = $4::uuid))
      ORDER BY d.id LIMIT $5`,
    [tenantId, deviceId ?? null, deviceTypeId ?? null, boundedTo ?? null, limit],
  );
}

interface ReadingRow {
  time: number;
  number: number | null;
  flag: boolean | null;
  text: string | null;
}

const READ = `
SELECT (extract(epoch FROM t.ts) * 1000000)::float8 AS time, t.number, t.flag, t.text FROM telemetry t
 WHERE t.device_uid = $1 AND t.metric = $2 AND t.ts >= $3::timestamptz AND t.ts < $4::timestamptz
   AND t.ts > to_timestamp($5::float8 / 1e6)
 ORDER BY t.ts LIMIT $6`;

/**
 * Up to `limit` stored readings of a metric within a period, oldest first, after a time.
 *
 * @param after microseconds since 1970
 */
export async function readStored(
  db: Db,
  { uid }: DryRunDevice,
  metric: string,
  { from, to }: { from: Date; to: Date },
  after: number,
  limit: number,
): Promise<{ time: number; value: MetricValue }[]> {
  const rows = await runPrepared<ReadingRow>(db, "dry-run", READ, [uid, metric, from, to, after, limit]);
  return rows.map(({ time, number, flag, text }) => ({ time, value: (number ?? flag ?? text) as MetricValue }));
}
