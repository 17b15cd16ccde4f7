import type { PreparedMessage } from "../message.ts";
import { applyMessage, type DeviceLatest, type LatestChange } from "./device-latest.ts";
import type { LatestCache } from "./latest-cache.ts";

/** Another process has added metrics to a device, which would exceed its limit together with those of the batch. */
export class TooManyMetrics extends Error {}

/**
 * Applies the messages of a batch to `devices`.
 *
 * @param messages sorted by device
 * @param seen maps every device of the batch, in this order, to the time of its last message
 * @returns one change per entry of `seen`
 * @throws TooManyMetrics if a device gains metrics and then exceeds `limit`
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
