/** Exponential back-off with jitter. */
export interface Backoff {
  /** Ceiling of the first delay, milliseconds. */
  baseMs: number;
  /** Ceiling of every delay, milliseconds. */
  capMs: number;
  /** The part of each ceiling that is always waited, 0 (full jitter) to 1 (no jitter). */
  floor: number;
}

/** After a lost connection: full jitter, so that a fleet does not return in one moment; everyone is back within the cap. */
export const RECONNECT: Backoff = { baseMs: 1_000, capMs: 30_000, floor: 0 };
/** After the broker has refused us repeatedly: only a person can change that, so minutes between tries. */
export const REFUSED: Backoff = { baseMs: 120_000, capMs: 900_000, floor: 0.5 };
/** Between attempts at renewal: there are days of margin. */
export const RENEWAL: Backoff = { baseMs: 60_000, capMs: 3_600_000, floor: 0.5 };
/** Between attempts at a claim redemption, with someone waiting. */
export const ENROLLMENT: Backoff = { baseMs: 1_000, capMs: 15_000, floor: 0.5 };

/** How long to wait before try number `attempt` (from 0), milliseconds. `random` is in [0, 1). */
export function delayMs(backoff: Backoff, attempt: number, random: number): number {
  const ceiling = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (backoff.floor + (1 - backoff.floor) * random));
}
