import { RecentMap } from "../../lib/recent-map.ts";
import type { PreparedMessage } from "./batch.ts";

/** `last_seen_at` of devices: uid → microseconds since 1970. */
export type LastSeen = ReadonlyMap<string, number>;

/**
 * `last_seen_at` of a device that publishes all the time is stored this often, so the stored time is older than the last message by
 * less than this (seconds).
 */
export const LAST_SEEN_INTERVAL_SECONDS = 1;
const INTERVAL = LAST_SEEN_INTERVAL_SECONDS * 1_000_000;
/** Far more devices than one process serves. One that is dropped costs one more update. */
const MAX_DEVICES = 200_000;

/** Times in microseconds since 1970. */
interface DeviceTimes {
  /** The last message of this process. */
  received: number;
  /** What this process stored last as `last_seen_at`; `undefined` when that failed. */
  stored: number | undefined;
}

/** Limits how often `last_seen_at` of a device is stored. */
export interface LastSeenThrottle {
  /** The devices of `messages` whose update is due, each with the time of its last message. */
  select(messages: readonly PreparedMessage[]): LastSeen;
  /** Undoes {@link select}: its result was not stored. */
  undo(lastSeen: LastSeen): void;
  /** When this process received the last message of the device that it began to store; `undefined` when it knows of none. */
  received(deviceUid: string): number | undefined;
}

export function createLastSeenThrottle(): LastSeenThrottle {
  const devices = new RecentMap<string, DeviceTimes>(MAX_DEVICES);
  return {
    select(messages) {
      const due = new Map<string, number>();
      for (const { deviceUid, receivedAt } of messages) {
        const device = devices.get(deviceUid);
        if (device === undefined) {
          devices.set(deviceUid, { received: receivedAt, stored: receivedAt });
          due.set(deviceUid, receivedAt);
          continue;
        }
        device.received = receivedAt;
        if (isDue(device.stored, receivedAt) || due.has(deviceUid)) {
          device.stored = receivedAt;
          due.set(deviceUid, receivedAt);
        }
      }
      return due;
    },
    undo(lastSeen) {
      for (const uid of lastSeen.keys()) {
        const device = devices.get(uid);
        if (device) device.stored = undefined;
      }
    },
    received: (uid) => devices.get(uid)?.received,
  };
}

/** After a clock step back, updates must not stop until the clock is at the old time again. */
function isDue(stored: number | undefined, receivedAt: number): boolean {
  return stored === undefined || receivedAt - stored >= INTERVAL || receivedAt < stored;
}
