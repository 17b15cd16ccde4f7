import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { PreparedMessage } from "../message.ts";

/** The capacity, which is far more than the devices of one process. */
const MAX_DEVICES = 200_000;

/**
 * The times at which this process received the latest message of each device that it has begun to store, in
 * microseconds since 1970.
 */
export interface ReceivedTimes {
  record(messages: readonly PreparedMessage[]): void;
  of(deviceUid: string): number | undefined;
}

export function createReceivedTimes(): ReceivedTimes {
  const devices = new RecentMap<string, { at: number }>(MAX_DEVICES);
  return {
    record(messages) {
      for (const { deviceUid, receivedAt: at } of messages) {
        const received = devices.get(deviceUid);
        if (received) received.at = at;
        else devices.set(deviceUid, { at });
      }
    },
    of: (deviceUid) => devices.get(deviceUid)?.at,
  };
}
