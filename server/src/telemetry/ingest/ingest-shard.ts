import { createBatcher } from "../../lib/batcher.ts";
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
  let bytes = 0;
  let unsettled = 0;
  const batcher = createBatcher<PendingMessage>({
    batchSize,
    async process(batch) {
      await settleBatch(deps, batch);
      for (const { message } of batch) bytes -= message.payload.length;
      unsettled -= batch.length;
    },
  });

  return {
    add: (message, prepared) =>
      new Promise((resolve, reject) => {
        unsettled++;
        bytes += message.payload.length;
        batcher.add({ message, prepared, resolve, reject });
      }),
    queue: () => ({ messages: unsettled, bytes }),
    drain: batcher.drain,
  };
}

function batchSize(waiting: readonly PendingMessage[]): number {
  let rows = 0;
  let size = 0;
  while (size < waiting.length && size < MAX_BATCH_MESSAGES && rows < MAX_BATCH_ROWS) {
    for (const { metrics } of waiting[size]!.prepared.readings) rows += metrics.length;
    size++;
  }
  return size;
}
