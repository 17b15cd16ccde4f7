import type { AgentError } from "../errors.ts";
import { BUSY, delayMs, RECONNECT, REFUSED, TAKEN_OVER } from "./backoff.ts";
import { BUSY as BUSY_CODES, TAKEN_OVER as TAKEN_OVER_CODE } from "./reasons.ts";
import type { SessionEnd } from "./session.ts";

/**
 * A session of this length resets the backoff. Shorter ones do not, because another process may be taking over the
 * same client id repeatedly.
 */
const STABLE_MS = 30_000;
/** A session of this length ends a series of takeovers: it is longer than the longest pause of the other program. */
const UNDISPUTED_MS = 3_600_000;
/**
 * After this many consecutive refusals the cause is the device, and no longer a server that is starting or has no
 * database.
 */
const PATIENT_REFUSALS = 3;

/** Computes the pause before the next connection attempt from the outcomes of earlier attempts and sessions. */
export class Pauses {
  readonly #random: () => number;
  #failures = 0;
  #busy = 0;
  #takeovers = 0;
  /** The number of consecutive refusals. */
  refusals = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Records that a session is open. */
  accepted(): void {
    this.refusals = 0;
  }

  /** @returns the milliseconds to wait after a session of `lastedMs` */
  afterSession({ code }: SessionEnd, lastedMs: number): number {
    if (lastedMs >= STABLE_MS) this.#failures = this.#busy = 0;
    if (lastedMs >= UNDISPUTED_MS) this.#takeovers = 0;
    if (code === TAKEN_OVER_CODE && this.#takeovers++ > 0) return this.#delay(TAKEN_OVER, this.#takeovers - 2);
    if (code !== undefined && BUSY_CODES.has(code)) return this.#delay(BUSY, this.#busy++);
    return this.#delay(RECONNECT, this.#failures++);
  }

  /** @returns the milliseconds to wait after a failed attempt */
  afterFailure({ code }: AgentError): number {
    this.refusals = code === "refused" ? this.refusals + 1 : 0;
    this.#failures += 1;
    const beyond = this.refusals - PATIENT_REFUSALS;
    if (beyond >= 0) return this.#delay(REFUSED, beyond);
    if (code === "busy") return this.#delay(BUSY, this.#busy++);
    return this.#delay(RECONNECT, this.#failures - 1);
  }

  #delay(backoff: Parameters<typeof delayMs>[0], attempt: number): number {
    return delayMs(backoff, attempt, this.#random());
  }
}
