export interface Rerun {
  run(): Promise<void>;
  /** Resolves when no run is left. */
  settled(): Promise<void>;
}

/**
 * Runs `work`, never twice at once. A call during a run gets the next run, which begins after the call; all calls of
 * that time share it.
 */
export function createRerun(work: () => Promise<void>): Rerun {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function run(): Promise<void> {
    if (!running) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  }

  return { run, settled: async () => void (await (next ?? running)?.catch(() => undefined)) };
}
