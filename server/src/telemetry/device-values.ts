import { boundedToGroupsOf, type Caller, requireScope } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import { isDeviceId } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import { findVisibleDevice, type LatestRow, listLatest, listRejected } from "./device-values-store.ts";
import type { MetricValue } from "./reading.ts";

/** The newest value of one metric. */
export interface LatestValue {
  metric: string;
  value: MetricValue;
  /** When it was measured, by the device's clock where it has a believable one. */
  at: Date;
  receivedAt: Date;
  /** The device's own time was not believable; `at` is the server's. */
  timeReplaced: boolean;
}

/** A message whose payload could not be read. */
export interface RejectedRecord {
  id: string;
  at: Date;
  topic: string;
  reason: string;
  payload: Buffer;
}

type Deps = { database: Pick<Database, "db"> };

/**
 * The latest value of every metric of a device, by metric.
 *
 * @throws MusterError insufficient_scope, not_found
 */
export async function latest(deps: Deps, caller: Caller, deviceId: string): Promise<LatestValue[]> {
  const uid = await visibleDevice(deps, caller, deviceId);
  return (await listLatest(deps.database.db, caller.tenantId, uid)).map(toLatest);
}

/**
 * The last rejected messages of a device, newest first.
 *
 * @throws MusterError insufficient_scope, not_found
 */
export async function rejectedMessages(deps: Deps, caller: Caller, deviceId: string): Promise<RejectedRecord[]> {
  const uid = await visibleDevice(deps, caller, deviceId);
  return listRejected(deps.database.db, caller.tenantId, uid);
}

/** The uid of a device that the caller may read. @throws MusterError insufficient_scope, not_found */
export async function visibleDevice(deps: Deps, caller: Caller, deviceId: string): Promise<string> {
  requireScope(caller, "devices:read");
  if (!isDeviceId(deviceId)) throw notFound("device");
  const uid = await findVisibleDevice(deps.database.db, caller.tenantId, deviceId, boundedToGroupsOf(caller));
  if (uid === undefined) throw notFound("device");
  return uid;
}

export function toLatest(row: LatestRow): LatestValue {
  const value = (row.number ?? row.flag ?? row.text) as MetricValue;
  return { metric: row.metric, value, at: row.ts, receivedAt: row.received_at, timeReplaced: row.time_replaced };
}
