import type { Clock } from "../../lib/clock.ts";
import { MINUTE } from "../../lib/clock.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";

/** Addresses counted at once; above this number the one without requests for longest is dropped. */
const MOST_ADDRESSES = DEFAULT_LIMITS.rateLimitedAddresses;
const SHIFT_AT = 64;

export interface AddressLimit {
  /** Seconds to wait when `key` has used up its minute; 0 when this request is admitted (and counted). */
  admit(key: string): number;
}

/**
 * Any 60 seconds admit at most `perMinute` requests an address, on the monotonic clock. It is counted per process,
 * which it protects; limits that must hold across processes are in the database.
 *
 * @param perMinute `Infinity` for no limit
 */
export function createAddressLimit(perMinute: number, clock: Pick<Clock, "monotonicMs">): AddressLimit {
  const windows = new Map<string, number[]>();
  return {
    admit(key) {
      if (perMinute === Number.POSITIVE_INFINITY) return 0;
      const now = clock.monotonicMs();
      const window = windows.get(key) ?? [];
      const expired = firstAfter(window, now - MINUTE);
      if (window.length - expired >= perMinute) return (window[expired]! + MINUTE - now) / 1000;
      // Shifting in batches keeps the cost of a request constant.
      if (expired > SHIFT_AT) window.splice(0, expired);
      window.push(now);
      windows.delete(key);
      windows.set(key, window);
      if (windows.size > MOST_ADDRESSES) windows.delete(windows.keys().next().value!);
      return 0;
    },
  };
}

/** Index of the first of the ascending `times` that is later than `limit`. */
function firstAfter(times: readonly number[], limit: number): number {
  let index = 0;
  while (index < times.length && times[index]! <= limit) index++;
  return index;
}
