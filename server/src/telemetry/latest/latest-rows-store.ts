import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { DeviceLatest } from "./device-latest.ts";

/**
 * A metric of a device. All columns but the first two are null if the device has no metrics. Times are microseconds
 * since 1970.
 */
interface MetricRow {
  uid: string;
  /** A bigint. */
  version: string;
  metric: string | null;
  kind: "n" | "b" | "t";
  number: number;
  time: number;
  received: number;
  replaced: boolean;
}

const selectRows = statement<{ deviceUids: string }, MetricRow>(
  "load-latest",
  (p) => sql`
  SELECT l.device_uid AS uid, l.version, v.metric, v.kind, coalesce(v.number, v.flag::int, 0) AS number,
         (extract(epoch FROM v.ts) * 1000000)::float8 AS time,
         (extract(epoch FROM v.received_at) * 1000000)::float8 AS received, v.time_replaced AS replaced
    FROM unnest(${p.deviceUids}::uuid[]) AS asked (uid)
    JOIN device_latest l ON l.device_uid = asked.uid AND l.part = 0
    LEFT JOIN LATERAL (SELECT * FROM shared_latest_values s WHERE s.device_uid = asked.uid) v ON true
   ORDER BY l.device_uid, v.part, v.place`,
);

/** Loads the stored state of these devices. A device without a row yields an empty value. */
export async function loadLatest(db: Db, deviceUids: readonly string[]): Promise<Map<string, DeviceLatest>> {
  const devices = new Map(deviceUids.map((uid) => [uid, new DeviceLatest()]));
  for (const row of await runStatement(db, selectRows, { deviceUids: plainArray(deviceUids) })) {
    const latest = devices.get(row.uid)!;
    latest.version = Number(row.version);
    const { metric, kind, number, time, received, replaced } = row;
    if (metric !== null) latest.set(metric, kind, { number, time, receivedAt: received, replaced });
  }
  return devices;
}

const lockRows = statement<{ deviceUids: string }, object>(
  "lock-latest",
  (p) => sql`
  SELECT FROM device_latest l WHERE l.device_uid = ANY (${p.deviceUids}::uuid[]) AND l.part = 0 ORDER BY l.device_uid FOR UPDATE`,
);

/** Locks the first rows of these devices, so that no other process changes them until `tx` ends. */
export async function lockLatest(tx: Tx, deviceUids: Iterable<string>): Promise<void> {
  await runStatement(tx, lockRows, { deviceUids: plainArray([...deviceUids]) });
}
