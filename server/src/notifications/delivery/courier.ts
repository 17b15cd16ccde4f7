/** Work that is taken from the database and done a few at a time. */
export interface Courier {
  /** Takes and does until there is nothing left; resolves then. A call meanwhile has it look again at once. */
  run(): Promise<void>;
}

/**
 * @param slots how many are done at the same time
 * @param take takes at most that many, for good or until their lease ends
 * @param work must not throw
 */
export function createCourier<Item>(
  slots: number,
  take: (room: number) => Promise<Item[]>,
  work: (item: Item) => Promise<void>,
): Courier {
  let running: Promise<void> | undefined;
  let asked = false;
  let wake: () => void = () => undefined;

  async function loop(): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    try {
      do {
        asked = false;
        const room = slots - inFlight.size;
        const items = room > 0 ? await take(room) : [];
        for (const item of items) {
          const done: Promise<void> = work(item).finally(() => inFlight.delete(done));
          inFlight.add(done);
        }
        const nothingToTake = items.length === 0 || inFlight.size >= slots;
        if (inFlight.size > 0 && nothingToTake && !asked) await Promise.race([...inFlight, askedAgain()]);
      } while (inFlight.size > 0 || asked);
    } finally {
      await Promise.allSettled(inFlight);
    }
  }

  function askedAgain(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  return {
    run() {
      asked = true;
      wake();
      running ??= loop().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
