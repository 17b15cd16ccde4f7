import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { PreparedMessage } from "./batch.ts";
import { createLastSeen } from "./last-seen.ts";
import { type Message, prepareMessage, reject } from "./prepare-message.ts";
import { createMarkedHours } from "./roll-up-marks.ts";
import { createServerTime } from "./server-time.ts";
import { isRefusedData, storeBatch } from "./store-batch.ts";
import { createTelemetryDays } from "./telemetry-days.ts";
import { createWatches } from "./watches.ts";

/** A batch ends at whichever comes first; more would hold the event loop and the acknowledgements too long. */
const MAX_BATCH_MESSAGES = 2_000;
const MAX_BATCH_ROWS = 5_000;

export interface IngestDeps {
  database: Pick<Database, "db" | "listen">;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics?: Pick<Metrics, "messages" | "database">;
}

/** Messages waiting for their commit. */
export interface IngestQueue {
  messages: number;
  bytes: number;
}

export interface Ingest {
  /**
   * Stores a message. Resolves when it is durable, which for a payload that cannot be read means: kept as a rejected
   * message. Rejects only when the database fails; the message must then not be acknowledged.
   */
  ingest(message: Message): Promise<void>;
  /** What is waiting or being stored now; a broker that reads no further than it is answered keeps this bounded. */
  queue(): IngestQueue;
  /** Resolves when everything handed in so far is stored or has failed. */
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
export function createIngest(deps: IngestDeps): Ingest {
  const serverTime = createServerTime();
  const lastSeen = createLastSeen();
  const watches = createWatches(deps.database);
  const days = createTelemetryDays(deps.database);
  const hours = createMarkedHours();
  let waiting: Waiting[] = [];
  let bytes = 0;
  let unsettled = 0;
  let running: Promise<void> | undefined;

  function ingest(message: Message): Promise<void> {
    const prepared = prepareMessage(message, deps.clock.now().getTime(), serverTime);
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
    const seen = lastSeen.due(prepared);
    try {
      await storeBatch({ ...deps, watches, days, hours }, prepared, seen);
    } catch (error) {
      lastSeen.forget(seen);
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
    ingest,
    queue: () => ({ messages: unsettled, bytes }),
    drain: async () => running,
  };
}
