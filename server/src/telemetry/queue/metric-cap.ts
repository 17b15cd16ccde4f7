import type { Limits } from "../../lib/limits/limits.ts";
import type { DeviceLatest } from "../latest/device-latest.ts";
import type { LatestCache } from "../latest/latest-cache.ts";
import { rowsOf, type TimedReading } from "../message.ts";
import { rejectedMessage } from "../parse/prepare-message.ts";
import { joined, MAX_RECORDED, rejectionOf } from "../parse/problems.ts";
import { quoted } from "../reading.ts";
import type { PendingMessage } from "./pending-message.ts";

/**
 * Limits the number of metrics per device (`metricsPerDevice`). A device's metrics are those with a latest value; a
 * metric counts until the device is deleted. If another process has added some in between, storing the batch fails and
 * `admit` is called again.
 */
export interface MetricCap {
  /** Drops, in order, the values of `batch` that would add a metric beyond the limit. */
  admit(batch: readonly PendingMessage[]): Promise<void>;
}

export function createMetricCap(
  latest: Pick<LatestCache, "of">,
  { metricsPerDevice: limit }: Pick<Limits, "metricsPerDevice">,
): MetricCap {
  return {
    async admit(batch) {
      const devices = await latest.of(new Set(batch.map(({ prepared }) => prepared.deviceUid)));
      /** Maps devices to the metrics that earlier messages add. */
      const added = new Map<string, Set<string>>();
      for (const pending of batch) {
        const { deviceUid } = pending.prepared;
        const device = devices.get(deviceUid)!;
        const metrics = addedBy(pending, device, added.get(deviceUid));
        if (metrics.size === 0) continue;
        const earlier = added.get(deviceUid) ?? new Set();
        const room = Math.max(0, limit - device.metrics.length - earlier.size);
        const [within, beyond] = [[...metrics].slice(0, room), [...metrics].slice(room)];
        if (within.length > 0) added.set(deviceUid, new Set([...earlier, ...within]));
        if (beyond.length > 0) drop(pending, new Set(beyond), limit);
      }
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the metrics that the device does not have yet, from all parts of a message. */
function addedBy(
  { prepared, parts }: PendingMessage,
  device: DeviceLatest,
  earlier: ReadonlySet<string> | undefined,
): ReadonlySet<string> {
  const isNew = (metric: string) => device.placeOf(metric) === undefined && !earlier?.has(metric);
  if (parts.length === 0 && !prepared.readings.some(({ metrics }) => metrics.some(isNew))) return NONE;
  const readings = [prepared, ...parts].flatMap((part) => part.readings);
  return new Set(readings.flatMap(({ metrics }) => metrics.filter(isNew)));
}

/** Takes the values of these metrics out of a message, and records them as not stored. */
function drop(pending: PendingMessage, metrics: ReadonlySet<string>, limit: number): void {
  const parts = [pending.prepared, ...pending.parts];
  const last = parts.at(-1)!;
  for (const part of parts) {
    part.readings = without(part.readings, metrics);
    if (part.evaluated !== undefined) part.evaluated = without(part.evaluated, metrics);
  }
  pending.rows = rowsOf(pending.prepared);
  const storedValues = pending.storedRows + parts.reduce((sum, part) => sum + rowsOf(part), 0);
  const problems = [...metrics].slice(0, MAX_RECORDED).map((metric) => ({
    path: metric,
    reason: `${quoted(metric)} would be a new metric; the device has reached its limit of ${limit}`,
  }));
  const rejection = joined(last.rejected, rejectionOf("metrics_per_device", problems, metrics.size));
  last.rejected = rejectedMessage(pending.message, rejection, last.receivedAt, storedValues);
}

function without(readings: readonly TimedReading[], metrics: ReadonlySet<string>): TimedReading[] {
  return readings.flatMap((reading) => {
    const places = [...reading.metrics.keys()].filter((place) => !metrics.has(reading.metrics[place]!));
    if (places.length === reading.metrics.length) return reading;
    if (places.length === 0) return [];
    const values = places.map((place) => reading.values[place]!);
    return { ...reading, metrics: places.map((place) => reading.metrics[place]!), values };
  });
}
