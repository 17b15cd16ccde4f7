import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";

const FIRST_MS = 5 * SECOND;
const LONGEST_MS = HOUR;
/** The time from a message's creation for which its delivery is attempted. */
export const EXPIRY_MS = DAY;

/**
 * Returns when to retry after the `attempt`th failure. The backoff starts at 5 s and doubles up to an hour, with 25 %
 * jitter so that messages that failed together are not retried together. `undefined` if that would be later than {@link
 * EXPIRY_MS} after the message's creation.
 *
 * @param chance from 0 to 1
 */
export function retryAt(createdAt: Date, attempt: number, now: Date, chance: number): Date | undefined {
  const delay = Math.min(FIRST_MS * 2 ** Math.min(attempt - 1, 30), LONGEST_MS) * (0.75 + chance / 2);
  const at = addMs(now, Math.round(delay));
  return at > addMs(createdAt, EXPIRY_MS) ? undefined : at;
}
