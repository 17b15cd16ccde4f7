/** Exponential backoff with jitter. */
export interface Backoff {
  /** The ceiling of the first delay, in milliseconds. */
  baseMs: number;
  /** The ceiling of every delay, in milliseconds. */
  capMs: number;
  /** The fraction of each ceiling that is always waited: 0 is full jitter, 1 is none. */
  floor: number;
}

/**
 * After a lost connection: full jitter, so that the devices of a fleet do not reconnect at once, but all within the
 * cap.
 */
export const RECONNECT: Backoff = { baseMs: 1_000, capMs: 30_000, floor: 0 };
/** After repeated refusals by the broker: a person has to act, so the attempts are minutes apart. */
export const REFUSED: Backoff = { baseMs: 120_000, capMs: 900_000, floor: 0.5 };
/** While the broker says that it is busy, or that a quota is used up: attempts add to its load. */
export const BUSY: Backoff = { baseMs: 10_000, capMs: 300_000, floor: 0.5 };
/**
 * While another connection keeps taking over the session: two programs with one identity would constantly end each
 * other's sessions.
 */
export const TAKEN_OVER: Backoff = { baseMs: 2_000, capMs: 900_000, floor: 0.5 };
/** Between attempts at renewal: days are left until the certificate expires. */
export const RENEWAL: Backoff = { baseMs: 60_000, capMs: 3_600_000, floor: 0.5 };
/** Between attempts at a claim redemption, for which a person is waiting. */
export const ENROLLMENT: Backoff = { baseMs: 1_000, capMs: 15_000, floor: 0.5 };

/** Returns the milliseconds to wait before attempt number `attempt` (from 0). `random` is in [0, 1). */
export function delayMs(backoff: Backoff, attempt: number, random: number): number {
  const ceiling = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (backoff.floor + (1 - backoff.floor) * random));
}
