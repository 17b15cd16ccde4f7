import { useCase } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import type { MetricValue } from "../reading.ts";
import { visibleDeviceUid } from "./device-store.ts";
import { type LatestRow, listLatestRows, type ValueColumns } from "./latest-store.ts";

/** The newest value of one metric. */
export interface LatestValue {
  metric: string;
  value: MetricValue;
  /**
   * The time of measurement by the device's clock, or by the server's if the device's time was missing or implausible.
   */
  at: Date;
  receivedAt: Date;
  /** Whether the device's time was implausible, so that `at` is the server's. */
  timeReplaced: boolean;
}

/**
 * Lists the latest value of every metric of a device, by metric.
 *
 * @throws MusterError not_found
 */
export const listLatest = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database: { db } }: { database: Pick<Database, "db"> },
    caller,
    deviceId: string,
  ): Promise<LatestValue[]> => {
    const uid = await visibleDeviceUid(db, caller, deviceId);
    return (await listLatestRows(db, caller.tenantId, uid)).map(toLatest);
  },
);

export function toLatest(row: LatestRow): LatestValue {
  const { metric, ts, received_at, time_replaced } = row;
  return { metric, value: toValue(row), at: ts, receivedAt: received_at, timeReplaced: time_replaced };
}

export function toValue({ number, flag, text }: ValueColumns): MetricValue {
  return (number ?? flag ?? text) as MetricValue;
}
