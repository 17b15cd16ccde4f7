import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/timeouts.ts";

/** The interval of the checks, in case a NOTIFY is lost. */
const RECHECK_MS = 100;

/** The acknowledgements of session drops by all processes, which several callers await. */
export class Acknowledgements {
  readonly #logger: Logger;
  readonly #waiting = new Set<() => void>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Wakes the callers, because the database has new acknowledgements. */
  readonly emit = (): void => {
    for (const resolve of this.#waiting) resolve();
  };

  /** Returns whether `areClosed`, called at each acknowledgement, becomes true in time. */
  async until(timeoutMs: number, areClosed: () => Promise<boolean>): Promise<boolean> {
    const end = performance.now() + timeoutMs;
    do {
      const next = this.#next(Math.min(RECHECK_MS, timeoutMs));
      try {
        if (await areClosed()) return true;
      } catch (error) {
        const err = (error as Error).message;
        this.#logger.warn({ err }, "could not check whether a session drop has been delivered");
      }
      await next;
    } while (performance.now() < end);
    return false;
  }

  #next(atMostMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    return withTimeout(promise, atMostMs, () => undefined).finally(() => this.#waiting.delete(resolve));
  }
}
