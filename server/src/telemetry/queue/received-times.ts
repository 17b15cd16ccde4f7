import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { PreparedMessage } from "../message.ts";

/** Far more devices than one process serves. */
const MAX_DEVICES = 200_000;

/**
 * Remembers when this process received the last message that it began to store for each device, in microseconds since
 * 1970.
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
