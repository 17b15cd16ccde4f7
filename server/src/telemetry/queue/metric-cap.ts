import type { Limits } from "../../lib/limits/limits.ts";
import type { DeviceLatest } from "../latest/device-latest.ts";
import type { LatestCache } from "../latest/latest-cache.ts";
import { reject } from "../parse/prepare-message.ts";
import { quoted } from "../reading.ts";
import type { PendingMessage } from "./pending-message.ts";

/**
 * Limits the number of metrics per device (`metricsPerDevice`). A device's metrics are those with a latest value; a
 * metric counts until the device is deleted. If another process has added some in between, storing the batch fails and
 * `admit` is called again.
 */
export interface MetricCap {
  /** Rejects the messages of `batch`, in order, that would add a metric beyond the limit. */
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
        if (device.metrics.length + earlier.size + metrics.size > limit) rejectMessage(pending, [...metrics], limit);
        else added.set(deviceUid, new Set([...earlier, ...metrics]));
      }
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the metrics that the device does not have yet, from all parts of a message, since it is rejected as a whole.
 */
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
  const reason = `the device has reached its limit of ${limit} metrics; ${quoted(added[0]!)}${others} would be added`;
  pending.prepared = reject(pending.message, { cause: "metrics_per_device", reason }, pending.prepared.receivedAt);
  pending.parts = [];
}
