import type { PreparedMessage } from "./batch.ts";
import type { Message } from "./prepare-message.ts";
import { type PendingMessage, type SettleDeps, settleBatch } from "./settle-batch.ts";

/** A batch ends at the first of these; a larger one would delay the event loop and the acknowledgements too long. */
const MAX_BATCH_MESSAGES = 2_000;
const MAX_BATCH_ROWS = 5_000;

/** Messages that wait for their commit. */
export interface IngestQueue {
  messages: number;
  bytes: number;
}

/** Stores the messages of its devices in order. */
export interface Shard {
  /** Resolves and rejects like `Ingest.ingest`. */
  add(message: Message, prepared: PreparedMessage): Promise<void>;
  queue(): IngestQueue;
  drain(): Promise<void>;
}

/**
 * Stores one batch at a time. While one is being committed, the next collects messages: batches grow with the load, and messages of
 * a device never overtake each other.
 */
export function createShard(deps: SettleDeps): Shard {
  let waiting: PendingMessage[] = [];
  let bytes = 0;
  let unsettled = 0;
  let running: Promise<void> | undefined;

  function add(message: Message, prepared: PreparedMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ message, prepared, resolve, reject });
      unsettled++;
      bytes += message.payload.length;
      running ??= run();
    });
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // Messages that arrive in this turn of the event loop join the batch. Each batch takes a turn of its own: the embedded
      // database answers within the turn, so without this, sockets, timers and acknowledgements would wait for all of them.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = takeBatch();
      await settleBatch(deps, batch);
      for (const { message } of batch) bytes -= message.payload.length;
      unsettled -= batch.length;
    }
    running = undefined;
  }

  function takeBatch(): PendingMessage[] {
    let rows = 0;
    let size = 0;
    while (size < waiting.length && size < MAX_BATCH_MESSAGES && rows < MAX_BATCH_ROWS) {
      for (const { metrics } of waiting[size]!.prepared.readings) rows += metrics.length;
      size++;
    }
    const batch = size === waiting.length ? waiting : waiting.slice(0, size);
    waiting = size === waiting.length ? [] : waiting.slice(size);
    return batch;
  }

  return {
    add,
    queue: () => ({ messages: unsettled, bytes }),
    drain: async () => running,
  };
}
