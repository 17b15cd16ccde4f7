import { rateLimited } from "../../lib/request-errors.ts";

/** Limits the number of concurrent password hashes. */
export interface HashGate {
  /** Runs `hash` when a slot is free. @throws MusterError rate_limited while too many wait */
  run<T>(hash: () => Promise<T>): Promise<T>;
}

/** Creates a gate. @param atOnce the number of concurrent hashes. @param waiting the greatest number of waiters */
export function createHashGate({ atOnce, waiting }: { atOnce: number; waiting: number }): HashGate {
  const queue: (() => void)[] = [];
  let running = 0;
  return {
    async run(hash) {
      if (running === atOnce) {
        if (queue.length === waiting)
          throw rateLimited("too many sign-ins are being checked; try again in a second", 1);
        // The slot is handed over, so `running` counts it continuously.
        await new Promise<void>((resolve) => queue.push(resolve));
      } else running++;
      try {
        return await hash();
      } finally {
        const next = queue.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
