import { withTimeout } from "../../lib/timeouts.ts";
import type { PreparedMessage } from "../ingest/batch.ts";
import type { Message } from "../ingest/prepare-message.ts";
import type { StreamPosition } from "../stream/position.ts";
import { Collecting } from "./collecting.ts";
import { type PendingMessage, setPrepared, startPart } from "./pending-message.ts";
import { rejectAlone } from "./reject-alone.ts";
import { type BatchResult, countMessages, type SettleDeps, storePending } from "./settle-batch.ts";
import { MAX_BATCH_MESSAGES, type TenantQueue } from "./tenant-queue.ts";
import { type Batch, type QueuesDeps, TenantQueues } from "./tenant-queues.ts";

/** Slow batches that the next one does not wait for. Each has a connection to the database. */
const MAX_OVERTAKEN = 2;
/** A batch is repeated in this many smaller ones. Each attempt that times out takes seconds, so there should be few. */
const DIVISOR = { refused: 2, timed_out: 8 };
const NO_PARTS: readonly PreparedMessage[] = [];

/** Messages that wait for their commit. */
export interface IngestQueue {
  messages: number;
  bytes: number;
}

export type ShardDeps = SettleDeps &
  QueuesDeps & {
    /** How many shards all processes of this service have. */
    shards: number;
  };

/**
 * Stores the messages of its devices, those of one device in order. Of the shared batches one is stored at a time, and the next one
 * collects messages, at least for a short time (collecting.ts), so batches grow with the load. A batch that turns out slow is overtaken
 * by the next, and its tenants are isolated (isolation.ts): their batches are stored beside the shared ones. A batch that the database
 * refuses is repeated in smaller ones, until the message at fault is alone.
 */
export class IngestShard {
  readonly #deps: ShardDeps;
  readonly #queues: TenantQueues;
  readonly #collecting: Collecting;
  readonly #inFlight = new Set<Batch>();
  #storesShared = false;
  #storesIsolated = false;
  #overtaken = 0;
  #messages = 0;
  #bytes = 0;
  #drained: (() => void)[] = [];

  constructor(deps: ShardDeps) {
    this.#deps = deps;
    this.#queues = new TenantQueues(deps);
    this.#collecting = new Collecting(deps.shards);
  }

  /**
   * Resolves and rejects like `Ingest.ingest`.
   *
   * @param defer parses the message, in place of `prepared`, when a batch takes it
   * @param position of a message of the stream
   */
  add(
    message: Message,
    prepared: PreparedMessage,
    defer?: () => PreparedMessage,
    position?: StreamPosition,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#messages++;
      this.#bytes += message.payload.length;
      const pending = { message, position, prepared, defer, rows: 0, parts: NO_PARTS, timeouts: 0, resolve, reject };
      if (defer === undefined) setPrepared(pending, prepared);
      this.#queues.add(pending);
      this.#wake();
    });
  }

  queue(): IngestQueue {
    return { messages: this.#messages, bytes: this.#bytes };
  }

  /** Resolves when no message waits. */
  drain(): Promise<void> {
    if (this.#messages === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Every message that is not settled. */
  *[Symbol.iterator](): Iterator<PendingMessage> {
    for (const { messages } of this.#inFlight) yield* messages;
    yield* this.#queues;
  }

  #wake(): void {
    if (!this.#storesShared && this.#queues.hasShared) void this.#storeShared();
    if (!this.#storesIsolated && this.#queues.hasIsolated) void this.#storeIsolated();
  }

  async #storeShared(): Promise<void> {
    this.#storesShared = true;
    while (this.#queues.hasShared) {
      await this.#collect();
      const batch = this.#queues.takeShared();
      this.#collecting.begin(batch.messages, performance.now());
      await this.#storeOrOvertake(batch);
    }
    this.#storesShared = false;
  }

  async #collect(): Promise<void> {
    await turn();
    const waitMs = this.#collecting.waitMs(this.#queues.shared(), performance.now());
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }

  async #storeIsolated(): Promise<void> {
    this.#storesIsolated = true;
    while (this.#queues.hasIsolated) {
      await turn();
      await this.#storeOrOvertake(this.#queues.takeIsolated());
    }
    this.#storesIsolated = false;
  }

  /** Resolves when the batch is stored, or when it is slow: the next one does not wait for it then. */
  async #storeOrOvertake(batch: Batch): Promise<void> {
    const stored = this.#store(batch);
    if (this.#overtaken >= MAX_OVERTAKEN) return await stored;
    const inTime = stored.then(() => true);
    if (await withTimeout(inTime, this.#deps.isolation.slowMs(), () => false)) return;
    this.#overtaken++;
    void stored.then(() => this.#overtaken--);
  }

  /** Stores a batch and settles its messages, or returns them to their queues. Never rejects. */
  async #store(batch: Batch): Promise<void> {
    const started = performance.now();
    if (batch.messages.length > 0) {
      this.#inFlight.add(batch);
      const result = await storePending(this.#deps, batch.messages);
      this.#assess(batch, result, performance.now() - started);
      if (result.outcome === "stored") this.#settleStored(batch);
      else if (result.outcome === "failed") this.#fail(batch, result.error);
      else await this.#divide(batch, result);
      this.#inFlight.delete(batch);
    }
    this.#queues.release(batch, performance.now() - started, () => this.#wake());
    this.#wake();
  }

  /** Decides who is isolated, and how large the next batch of a tenant at fault is. */
  #assess({ queues, isolated, messages }: Batch, { outcome }: BatchResult, ms: number): void {
    const { isolation } = this.#deps;
    if (outcome === "failed") return;
    const isSlow = ms > isolation.slowMs();
    const [queue] = queues;
    if (queues.length === 1 && outcome !== "stored") queue!.maxMessages = dividedSize(messages.length, outcome);
    if (isolated) this.#assessIsolated(queue!, isSlow, outcome);
    else {
      isolation.record(ms);
      const isSuspect = outcome !== "stored" || (isSlow && this.#queues.areSeveral);
      if (isSuspect) isolation.suspect(queues.map(({ tenantId }) => tenantId));
    }
  }

  #assessIsolated(queue: TenantQueue, isSlow: boolean, outcome: BatchResult["outcome"]): void {
    const { isolation } = this.#deps;
    if (outcome === "stored") queue.maxMessages = Math.min(queue.maxMessages * 2, MAX_BATCH_MESSAGES);
    if (isSlow || outcome === "timed_out") isolation.bad(queue.tenantId);
    else if (outcome === "stored" && queue.maxMessages === MAX_BATCH_MESSAGES) isolation.good(queue.tenantId);
  }

  #settleStored({ queues, messages }: Batch): void {
    const unfinished = messages.filter(({ parts }) => parts.length > 0);
    const done = unfinished.length === 0 ? messages : messages.filter(({ parts }) => parts.length === 0);
    for (const pending of unfinished) startPart(pending, pending.parts);
    this.#putBack(queues, unfinished);
    countMessages(this.#deps.metrics, done);
    this.#settle(done, ({ resolve }) => resolve());
  }

  /** The tenants of a refused batch are isolated, and the next batches of an isolated one are smaller, down to one message. */
  async #divide(batch: Batch, result: BatchResult): Promise<void> {
    const { queues, messages } = batch;
    if (messages.length > 1) {
      this.#deps.metrics.batchesBisected.inc({ cause: result.outcome });
      this.#putBack(queues, messages);
      return;
    }
    const again = await rejectAlone(this.#deps, messages[0]!, result);
    if (again === "never") this.#fail(batch, result.error);
    else this.#putBack(queues, messages, again);
  }

  /**
   * Whether a batch that failed is stored is not known where PostgreSQL has not answered. What waits behind it of the same devices fails, too:
   * of what a connection has sent, nothing is stored without what came before it.
   */
  #fail({ queues, messages }: Batch, error: unknown): void {
    const devices = new Set(messages.map(({ message }) => message.deviceUid));
    const behind = queues.flatMap((queue) => queue.remove((pending) => isBehind(pending, devices)));
    this.#settle([...messages, ...behind], ({ reject }) => reject(error));
  }

  #putBack(queues: Batch["queues"], messages: readonly PendingMessage[], place: "next" | "last" = "next"): void {
    if (messages.length === 0) return;
    for (const queue of queues) {
      const own = messages.filter(({ message }) => message.tenantId === queue.tenantId);
      if (own.length > 0) queue.putBack(own, place);
    }
  }

  #settle(messages: readonly PendingMessage[], answer: (pending: PendingMessage) => void): void {
    this.#messages -= messages.length;
    for (const { message } of messages) this.#bytes -= message.payload.length;
    for (const pending of messages) answer(pending);
    if (this.#messages > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

/** A will is not among them: its session has ended, and nothing stores it again. */
function isBehind({ message, position }: PendingMessage, devices: ReadonlySet<string>): boolean {
  const isStoredAgain = message.arrival !== undefined || position !== undefined;
  return isStoredAgain && devices.has(message.deviceUid);
}

function dividedSize(messages: number, outcome: keyof typeof DIVISOR): number {
  return Math.max(1, Math.floor(messages / DIVISOR[outcome]));
}

/** The next turn of the event loop: sockets and timers are served, and messages that arrive together are stored together. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
