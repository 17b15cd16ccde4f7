/** Items in the order in which they were added, processed in batches, one batch at a time. */
export interface Batcher<Item> {
  add(item: Item): void;
  /** Resolves when everything added before is processed. */
  drain(): Promise<void>;
}

export interface BatcherOptions<Item> {
  /** How many of `waiting` make the next batch, at least 1; everything that waits if absent. */
  batchSize?(waiting: readonly Item[]): number;
  /** Must not reject: it tells each item's caller what became of it. */
  process(batch: Item[]): Promise<void>;
}

/**
 * Batches grow with the load: the next one collects while the previous one is processed, and at least until the next turn of the
 * event loop. So items that arrive together are processed together, and sockets and timers get their turn between two batches, which
 * they would not with the embedded database: it answers within the turn.
 */
export function createBatcher<Item>({ batchSize, process }: BatcherOptions<Item>): Batcher<Item> {
  let waiting: Item[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      await process(takeBatch());
    }
    running = undefined;
  }

  function takeBatch(): Item[] {
    const size = batchSize?.(waiting) ?? waiting.length;
    const batch = size === waiting.length ? waiting : waiting.slice(0, size);
    waiting = size === waiting.length ? [] : waiting.slice(size);
    return batch;
  }

  return {
    add(item) {
      waiting.push(item);
      running ??= run();
    },
    drain: async () => running,
  };
}
