/** Exponential back-off with jitter. */
export interface Backoff {
  /** Ceiling of the first delay, milliseconds. */
  baseMs: number;
  /** Ceiling of every delay, milliseconds. */
  capMs: number;
  /** The share of each ceiling that is always waited: 0 is full jitter, 1 is none. */
  floor: number;
}

/** After a lost connection: full jitter, so that the devices of a fleet do not reconnect at once; each does within the cap. */
export const RECONNECT: Backoff = { baseMs: 1_000, capMs: 30_000, floor: 0 };
/** After repeated refusals by the broker: a person has to act, so the attempts are minutes apart. */
export const REFUSED: Backoff = { baseMs: 120_000, capMs: 900_000, floor: 0.5 };
/** While the broker says that it is busy, or a quota used up: attempts add to what it is busy with. */
export const BUSY: Backoff = { baseMs: 10_000, capMs: 300_000, floor: 0.5 };
/** While another connection takes over the session again and again: two programs with one identity would end each other's sessions all the time. */
export const TAKEN_OVER: Backoff = { baseMs: 2_000, capMs: 900_000, floor: 0.5 };
/** Between attempts at renewal: days are left until the certificate expires. */
export const RENEWAL: Backoff = { baseMs: 60_000, capMs: 3_600_000, floor: 0.5 };
/** Between attempts at a claim redemption, for which a person waits. */
export const ENROLLMENT: Backoff = { baseMs: 1_000, capMs: 15_000, floor: 0.5 };

/** Milliseconds to wait before attempt number `attempt` (from 0). `random` is in [0, 1). */
export function delayMs(backoff: Backoff, attempt: number, random: number): number {
  const ceiling = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (backoff.floor + (1 - backoff.floor) * random));
}
