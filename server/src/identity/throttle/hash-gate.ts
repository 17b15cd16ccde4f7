import { rateLimited } from "../../lib/request-errors.ts";

/** Bounds how many passwords are hashed at once. */
export interface HashGate {
  /** Runs `hash` when a place is free. @throws MusterError rate_limited while too many wait */
  run<T>(hash: () => Promise<T>): Promise<T>;
}

/** @param atOnce hashes that run at once. @param waiting how many may wait for one of them */
export function createHashGate({ atOnce, waiting }: { atOnce: number; waiting: number }): HashGate {
  const queue: (() => void)[] = [];
  let running = 0;
  return {
    async run(hash) {
      if (running === atOnce) {
        if (queue.length === waiting)
          throw rateLimited("too many sign-ins are being checked; try again in a second", 1);
        // The place is handed over: `running` counts it without interruption.
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
