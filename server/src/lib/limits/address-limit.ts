import { type Clock, MINUTE } from "../clock.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { RequestCounts } from "./request-counts.ts";

/** The number of addresses counted at once; above it, the least recently seen one is dropped. */
const MOST_ADDRESSES = DEFAULT_LIMITS.rateLimitedAddresses;
const SHIFT_AT = 64;

export interface AddressLimit {
  /** Counts a request and returns 0, or returns the seconds to wait if `key` has used up its minute. */
  admit(key: string): number;
}

/** Options of a limit that several processes share. */
export interface SharedLimit {
  /** The limit's name, the same in every process. */
  name: string;
  counts: Pick<RequestCounts, "register">;
}

/**
 * Creates a limit that admits at most `perMinute` requests per address in any 60 seconds, on the monotonic clock. If
 * several processes serve, requests admitted by the others count once they are reported, about a second later. Limits
 * that must hold exactly across processes are in the database.
 *
 * @param perMinute `Infinity` for no limit
 */
export function createAddressLimit(
  perMinute: number,
  clock: Pick<Clock, "monotonicMs">,
  shared?: SharedLimit,
): AddressLimit {
  const windows = new Map<string, number[]>();
  const admitted = new Map<string, number>();

  function windowOf(key: string, now: number): { window: number[]; expired: number } {
    const window = windows.get(key) ?? [];
    return { window, expired: firstAfter(window, now - MINUTE) };
  }

  function count(key: string, { window, expired }: ReturnType<typeof windowOf>, now: number, requests = 1): void {
    // Shifting in batches keeps the cost of a request constant.
    if (expired > SHIFT_AT) window.splice(0, expired);
    for (let left = requests; left > 0; left--) window.push(now);
    windows.delete(key);
    windows.set(key, window);
    if (windows.size > MOST_ADDRESSES) windows.delete(windows.keys().next().value!);
  }

  if (perMinute < Number.POSITIVE_INFINITY) {
    shared?.counts.register(shared.name, {
      take() {
        const taken = [...admitted];
        admitted.clear();
        return taken;
      },
      add(key, requests) {
        const now = clock.monotonicMs();
        count(key, windowOf(key, now), now, Math.min(requests, perMinute));
      },
    });
  }

  return {
    admit(key) {
      if (perMinute === Number.POSITIVE_INFINITY) return 0;
      const now = clock.monotonicMs();
      const found = windowOf(key, now);
      const { window, expired } = found;
      // Other processes may have admitted more than the limit allows; that many must have left the window first.
      const beyond = window.length - expired - perMinute;
      if (beyond >= 0) return (window[expired + beyond]! + MINUTE - now) / 1000;
      count(key, found, now);
      if (shared && admitted.size < MOST_ADDRESSES) admitted.set(key, (admitted.get(key) ?? 0) + 1);
      return 0;
    },
  };
}

/** Returns the index of the first of the ascending `times` that is later than `limit`. */
function firstAfter(times: readonly number[], limit: number): number {
  let index = 0;
  while (index < times.length && times[index]! <= limit) index++;
  return index;
}
