import { type RawBuilder, sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { refusalCode, refuse } from "../../db/refusal.ts";
import { type BoundStatement, type Parameters, runStatement, statement } from "../../db/statement.ts";

/** Metrics of devices, one pair an index. A metric of a device is known once it has a latest value. */
export interface DeviceMetrics {
  deviceUids: string[];
  metrics: string[];
}

/** {@link DeviceMetrics} as array literals. */
interface Pairs {
  deviceUids: string;
  metrics: string;
}

/** What is stored of the metrics of a device, out of those that were asked for. */
export interface KnownMetrics {
  deviceUid: string;
  /** How many metrics the device has; counted no further than the limit. */
  stored: number;
  /** Those asked for that it does not have. */
  missing: string[] | null;
}

/** The code that aborts a batch when another process has added metrics to one of its devices. */
const METRICS_CHANGED = "device_metrics_changed";

const asked = (p: Parameters<Pairs>) =>
  sql`unnest(${p.deviceUids}::text::uuid[], ${p.metrics}::text::text[]) AS a (device_uid, metric)`;

const isMissing = sql`NOT EXISTS (SELECT FROM telemetry_latest l WHERE l.device_uid = a.device_uid AND l.metric = a.metric)`;

/** A device may have any number of metrics of before the limit. */
const countStored = (deviceUid: RawBuilder<unknown>, limit: RawBuilder<number>) =>
  sql`(SELECT count(*)::int FROM (SELECT FROM telemetry_latest l WHERE l.device_uid = ${deviceUid} LIMIT ${limit}::integer) s)`;

const knownMetrics = statement<Pairs & { limit: number }, KnownMetrics>(
  "known-metrics",
  (p) => sql`
  SELECT a.device_uid AS "deviceUid", ${countStored(sql`a.device_uid`, p.limit)} AS stored,
         json_agg(a.metric) FILTER (WHERE ${isMissing}) AS missing
    FROM ${asked(p)} GROUP BY a.device_uid`,
);

export async function findKnownMetrics(db: Db, asked: DeviceMetrics, limit: number): Promise<KnownMetrics[]> {
  return await runStatement(db, knownMetrics, { ...literals(asked), limit });
}

const lockMetrics = statement<{ deviceUids: string }, object>(
  "lock-device-metrics",
  (p) => sql`
  SELECT pg_advisory_xact_lock(u.key)
    FROM (SELECT DISTINCT hashtextextended('metrics ' || a.device_uid, 0) AS key
            FROM unnest(${p.deviceUids}::text::text[]) AS a (device_uid) ORDER BY 1 OFFSET 0) u`,
);

const checkMetrics = statement<Pairs & { limit: number }, object>(
  "check-device-metrics",
  (p) => sql`
  SELECT ${refuse(METRICS_CHANGED)}
    FROM (SELECT a.device_uid, count(DISTINCT a.metric) FILTER (WHERE ${isMissing}) AS added
            FROM ${asked(p)} GROUP BY a.device_uid) n
   WHERE n.added > 0 AND n.added + ${countStored(sql`n.device_uid`, p.limit)} > ${p.limit}::integer`,
);

/**
 * The first statements of a batch that adds metrics: processes that add metrics to one device do so one after the other, and the batch is
 * aborted when the device would have more than `limit` in the end.
 */
export function guardMetrics(added: DeviceMetrics, limit: number): BoundStatement[] {
  const pairs = literals(added);
  return [lockMetrics.with({ deviceUids: pairs.deviceUids }), checkMetrics.with({ ...pairs, limit })];
}

/** Whether a batch was aborted because another process has added metrics to one of its devices. */
export function isMetricConflict(error: unknown): boolean {
  return refusalCode(error) === METRICS_CHANGED;
}

function literals({ deviceUids, metrics }: DeviceMetrics): Pairs {
  return { deviceUids: plainArray(deviceUids), metrics: textArray(metrics) };
}
