import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics.ts";
import type { PreparedMessage } from "./batch.ts";
import type { LastSeen } from "./last-seen.ts";
import { type Message, reject } from "./prepare-message.ts";
import { isRefusedData, type StoreDeps, storeBatch } from "./store-batch.ts";

/** A batch ends at whichever comes first; more would hold the event loop and the acknowledgements too long. */
const MAX_BATCH_MESSAGES = 2_000;
const MAX_BATCH_ROWS = 5_000;

/** What the lanes of a process have in common; every device is of one lane only. */
export interface LaneDeps extends StoreDeps {
  lastSeen: LastSeen;
  logger: Logger;
  metrics?: Pick<Metrics, "messages" | "database">;
}

/** Messages waiting for their commit. */
export interface IngestQueue {
  messages: number;
  bytes: number;
}

/** A line of messages, as {@link Ingest} has it for all. */
export interface Lane {
  add(message: Message, prepared: PreparedMessage): Promise<void>;
  queue(): IngestQueue;
  drain(): Promise<void>;
}

interface Waiting {
  message: Message;
  prepared: PreparedMessage;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Takes messages in order and stores them in batches, one at a time: while one commit is under way the next batch
 * gathers, so batches grow with the load by themselves and messages of a device never overtake each other.
 */
export function createLane(deps: LaneDeps): Lane {
  let waiting: Waiting[] = [];
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
      // Whatever else has arrived in this turn of the event loop goes into the batch. And there is a turn to each: the embedded
      // database answers within the one that asks, so batch upon batch would keep sockets, timers and acknowledgements waiting.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = takeBatch();
      await store(batch);
      for (const { message } of batch) bytes -= message.payload.length;
      unsettled -= batch.length;
    }
    running = undefined;
  }

  function takeBatch(): Waiting[] {
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

  /** Settles every message of `batch`; never rejects. */
  async function store(batch: Waiting[]): Promise<void> {
    const prepared = batch.map((entry) => entry.prepared);
    const seen = deps.lastSeen.due(prepared);
    try {
      await storeBatch(deps, prepared, seen);
    } catch (error) {
      deps.lastSeen.forget(seen);
      if (isRefusedData(error)) return storeApart(batch, error);
      deps.logger.error({ err: error, messages: batch.length }, "telemetry could not be stored");
      for (const entry of batch) entry.reject(error);
      return;
    }
    for (const { prepared: stored, resolve } of batch) {
      deps.metrics?.messages.inc({ result: stored.rejected ? "rejected" : "stored" });
      resolve();
    }
  }

  /** Finds the message whose data the database refused by halving, keeps it as rejected, and stores the others. */
  async function storeApart(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      await store(batch.slice(0, middle));
      return store(batch.slice(middle));
    }
    const [entry] = batch as [Waiting];
    if (entry.prepared.rejected) return entry.reject(error);
    deps.logger.error({ err: error, deviceId: entry.message.deviceId }, "the database refused a message's data");
    const refused = reject(entry.message, "the database cannot store this message", entry.prepared.receivedAt);
    return store([{ ...entry, prepared: refused }]);
  }

  return {
    add,
    queue: () => ({ messages: unsettled, bytes }),
    drain: async () => running,
  };
}
