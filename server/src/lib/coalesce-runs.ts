export interface CoalescedRuns {
  /** Runs now, or after the run in progress. */
  run(): Promise<void>;
  /** Resolves when no run is left, even if one failed. */
  idle(): Promise<void>;
}

/**
 * Wraps `work` so that it never runs twice at once. Calls made during a run share the next run, which starts after them
 * and therefore sees everything their callers did before.
 */
export function coalesceRuns(work: () => Promise<void>): CoalescedRuns {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  }

  function run(): Promise<void> {
    if (next !== undefined) return next;
    if (running === undefined) return start();
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  }

  return { run, idle: async () => void (await (next ?? running)?.catch(() => undefined)) };
}
