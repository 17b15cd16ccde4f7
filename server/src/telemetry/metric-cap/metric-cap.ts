import type { Limits } from "../../lib/limits/limits.ts";
import { reject } from "../ingest/prepare-message.ts";
import type { DeviceLatest } from "../latest/device-latest.ts";
import type { LatestCache } from "../latest/latest-cache.ts";
import type { PendingMessage } from "../queue/pending-message.ts";
import { quoted } from "../reading.ts";

/**
 * Bounds the metrics of a device (`metricsPerDevice`), which are those that it has latest values of; a metric stays until the device is
 * deleted. When another process has added some since, storing the batch fails, and it is asked again.
 */
export interface MetricCap {
  /** Rejects those of `batch` that would add a metric beyond the limit, in the order of the batch. */
  admit(batch: readonly PendingMessage[]): Promise<void>;
}

export function createMetricCap(
  latest: Pick<LatestCache, "of">,
  { metricsPerDevice: limit }: Pick<Limits, "metricsPerDevice">,
): MetricCap {
  return {
    async admit(batch) {
      const devices = await latest.of(new Set(batch.map(({ prepared }) => prepared.deviceUid)));
      /** Device → the metrics that messages before add. */
      const added = new Map<string, Set<string>>();
      for (const pending of batch) {
        const { deviceUid } = pending.prepared;
        const device = devices.get(deviceUid)!;
        const metrics = addedBy(pending, device, added.get(deviceUid));
        if (metrics.size === 0) continue;
        const earlier = added.get(deviceUid) ?? new Set();
        if (device.metrics.length + earlier.size + metrics.size > limit) rejectMessage(pending, [...metrics], limit);
        else added.set(deviceUid, new Set([...earlier, ...metrics]));
      }
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** The metrics of a message that its device does not have: of all its parts, since it is rejected as a whole. */
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

function rejectMessage(pending: PendingMessage, added: readonly string[], limit: number): void {
  const others = added.length > 1 ? ` and ${added.length - 1} more` : "";
  const reason = `the device has reached its ${limit} metrics; ${quoted(added[0]!)}${others} would be added`;
  pending.prepared = reject(pending.message, { cause: "metrics_per_device", reason }, pending.prepared.receivedAt);
  pending.parts = [];
}
