import type { PreparedMessage } from "./batch.ts";
import type { Seen } from "./telemetry-store.ts";

/** A device that talks all the time is marked as seen this often (microseconds). */
const EVERY = 1_000_000;
/** Far more devices than one process serves; forgetting them all costs one update each. */
const MAX_REMEMBERED = 200_000;

/** Remembers when each device was last marked as seen, so that a batch marks only those for whom it is time again. */
export interface LastSeen {
  /** The devices of `messages` to mark now, with the time of their last message. */
  due(messages: readonly PreparedMessage[]): Seen;
  /** Takes back what {@link due} gave, because it could not be stored. */
  forget(seen: Seen): void;
}

export function createLastSeen(): LastSeen {
  const marked = new Map<string, number>();
  return {
    due(messages) {
      const seen = new Map<string, number>();
      for (const { deviceUid, receivedAt } of messages) {
        const last = marked.get(deviceUid);
        // A clock that was set back must not silence a device until the old time comes round again.
        if (last === undefined || receivedAt - last >= EVERY || receivedAt < last || seen.has(deviceUid)) {
          seen.set(deviceUid, receivedAt);
          marked.set(deviceUid, receivedAt);
        }
      }
      if (marked.size > MAX_REMEMBERED) marked.clear();
      return seen;
    },
    forget(seen) {
      for (const uid of seen.keys()) marked.delete(uid);
    },
  };
}
