export interface CoalescedRuns {
  /** Runs now, or after the run that is under way. */
  run(): Promise<void>;
  /** Resolves when no run is left, also where one failed. */
  settled(): Promise<void>;
}

/**
 * Never runs `work` twice at once. A call during a run gets the next run, which it shares with other such calls: that run starts
 * after the call, so it sees everything that the caller did before.
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
    if (running === undefined) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  }

  return { run, settled: async () => void (await (next ?? running)?.catch(() => undefined)) };
}
