import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";

const FIRST_MS = 5 * SECOND;
const LONGEST_MS = HOUR;
/** How long a message is tried, from its creation. */
export const EXPIRY_MS = DAY;

/**
 * When to try again after the `attempt`th failure: 5 s, doubling up to an hour, a quarter more or less so that messages that failed
 * together are not repeated together. `undefined` when that would be later than {@link EXPIRY_MS} after the message's creation.
 *
 * @param chance from 0 to 1
 */
export function retryAt(createdAt: Date, attempt: number, now: Date, chance: number): Date | undefined {
  const delay = Math.min(FIRST_MS * 2 ** Math.min(attempt - 1, 30), LONGEST_MS) * (0.75 + chance / 2);
  const at = addMs(now, Math.round(delay));
  return at > addMs(createdAt, EXPIRY_MS) ? undefined : at;
}
