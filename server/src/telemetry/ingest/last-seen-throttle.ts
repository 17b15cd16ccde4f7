import type { PreparedMessage } from "./batch.ts";

/** `last_seen_at` of devices: uid → microseconds since 1970. */
export type LastSeen = ReadonlyMap<string, number>;

/** `last_seen_at` of a device that publishes all the time is stored this often (microseconds). */
const INTERVAL = 1_000_000;
/** Far more devices than one process serves. Clearing the map costs one more update a device. */
const MAX_DEVICES = 200_000;

/** Limits how often `last_seen_at` of a device is stored. */
export interface LastSeenThrottle {
  /** The devices of `messages` whose update is due, each with the time of its last message. */
  select(messages: readonly PreparedMessage[]): LastSeen;
  /** Undoes {@link select}: its result was not stored. */
  undo(lastSeen: LastSeen): void;
}

export function createLastSeenThrottle(): LastSeenThrottle {
  const stored = new Map<string, number>();
  return {
    select(messages) {
      const due = new Map<string, number>();
      for (const { deviceUid, receivedAt } of messages) {
        const last = stored.get(deviceUid);
        // After a clock step back, updates must not stop until the clock is at the old time again.
        if (last === undefined || receivedAt - last >= INTERVAL || receivedAt < last || due.has(deviceUid)) {
          due.set(deviceUid, receivedAt);
          stored.set(deviceUid, receivedAt);
        }
      }
      if (stored.size > MAX_DEVICES) stored.clear();
      return due;
    },
    undo(lastSeen) {
      for (const uid of lastSeen.keys()) stored.delete(uid);
    },
  };
}
