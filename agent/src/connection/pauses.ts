import type { AgentError } from "../errors.ts";
import { BUSY, delayMs, RECONNECT, REFUSED, TAKEN_OVER } from "./backoff.ts";
import { BUSY as BUSY_CODES, TAKEN_OVER as TAKEN_OVER_CODE } from "./reasons.ts";
import type { SessionEnd } from "./session.ts";

/** A session of this length resets the back-off. Shorter ones do not: another process may be taking over the same client id again and again. */
const STABLE_MS = 30_000;
/** A session of this length ends a row of takeovers: it is longer than the longest pause of the other program. */
const UNDISPUTED_MS = 3_600_000;
/** After this many refusals in a row the cause is the device, and no longer a server that starts or has no database. */
const PATIENT_REFUSALS = 3;

/** How long to wait before the next attempt at a connection, from what became of the attempts and sessions before. */
export class Pauses {
  readonly #random: () => number;
  #failures = 0;
  #busy = 0;
  #takeovers = 0;
  /** Refusals in a row. */
  refusals = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A session is open. */
  accepted(): void {
    this.refusals = 0;
  }

  /** @returns milliseconds to wait after a session of `lastedMs` */
  afterSession({ code }: SessionEnd, lastedMs: number): number {
    if (lastedMs >= STABLE_MS) this.#failures = this.#busy = 0;
    if (lastedMs >= UNDISPUTED_MS) this.#takeovers = 0;
    if (code === TAKEN_OVER_CODE && this.#takeovers++ > 0) return this.#delay(TAKEN_OVER, this.#takeovers - 2);
    if (code !== undefined && BUSY_CODES.has(code)) return this.#delay(BUSY, this.#busy++);
    return this.#delay(RECONNECT, this.#failures++);
  }

  /** @returns milliseconds to wait after an attempt that failed */
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
