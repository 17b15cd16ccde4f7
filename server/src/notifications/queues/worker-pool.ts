/** Processes items claimed from the database, a few at a time. */
export interface WorkerPool {
  /**
   * Claims and processes items, and resolves when none are left. A call during a run makes it claim again immediately.
   */
  run(): Promise<void>;
}

/**
 * @param slots the number of items processed concurrently
 * @param claim claims at most the given number of items
 * @param work processes one item; must not throw
 */
export function createWorkerPool<Item>(
  slots: number,
  claim: (room: number) => Promise<Item[]>,
  work: (item: Item) => Promise<void>,
): WorkerPool {
  let running: Promise<void> | undefined;
  let requested = false;
  let wake: () => void = () => undefined;

  async function loop(): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    try {
      for (;;) {
        requested = false;
        // Items that finish during the claim may make room for others that it did not get.
        const wasIdle = inFlight.size === 0;
        const room = slots - inFlight.size;
        const items = room > 0 ? await claim(room) : [];
        for (const item of items) {
          const done: Promise<void> = work(item).finally(() => inFlight.delete(done));
          inFlight.add(done);
        }
        if (wasIdle && items.length === 0 && !requested) return;
        const nothingToClaim = items.length === 0 || inFlight.size >= slots;
        if (inFlight.size > 0 && nothingToClaim && !requested) await Promise.race([...inFlight, nextRequest()]);
      }
    } finally {
      await Promise.allSettled(inFlight);
    }
  }

  function nextRequest(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  return {
    run() {
      requested = true;
      wake();
      running ??= loop().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
