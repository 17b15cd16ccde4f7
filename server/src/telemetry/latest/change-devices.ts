import type { PreparedMessage } from "../ingest/batch.ts";
import { applyMessage, type DeviceLatest, type LatestChange } from "./device-latest.ts";
import type { LatestCache } from "./latest-cache.ts";

/** Another process has added metrics to a device: with those of the batch it would have more than it may. */
export class TooManyMetrics extends Error {}

/**
 * Changes `devices` by the messages of a batch.
 *
 * @param messages in order of their devices
 * @param seen every device of the batch, in this order, and when it sent its last message
 * @returns a change for each of `seen`
 * @throws TooManyMetrics when a device gains metrics and has more than `limit` then
 */
export function changeDevices(
  cache: Pick<LatestCache, "grown">,
  devices: ReadonlyMap<string, DeviceLatest>,
  messages: readonly PreparedMessage[],
  { seen, limit }: { seen: ReadonlyMap<string, number>; limit: number },
): LatestChange[] {
  const changes: LatestChange[] = [];
  let next = 0;
  for (const [deviceUid, seenAt] of seen) {
    const latest = devices.get(deviceUid)!;
    const metricsBefore = latest.metrics.length;
    const change: LatestChange = {
      deviceUid,
      latest,
      seenAt,
      metricsBefore,
      changed: [],
      isChanged: [],
      reshaped: [],
      texts: undefined,
    };
    for (; messages[next]?.deviceUid === deviceUid; next++) applyMessage(change, messages[next]!);
    changes.push(change);
    if (latest.metrics.length === metricsBefore) continue;
    if (latest.metrics.length > limit) throw new TooManyMetrics();
    cache.grown(deviceUid, latest);
  }
  return changes;
}
