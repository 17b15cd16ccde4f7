import { withTimeout } from "../../lib/timeouts.ts";
import type { NotStored, PreparedMessage } from "../message.ts";
import type { Message } from "../parse/prepare-message.ts";
import type { StreamPosition } from "../stream-position.ts";
import { Collecting } from "./collecting.ts";
import { type PendingMessage, setPrepared, startPart } from "./pending-message.ts";
import { rejectAlone } from "./reject-alone.ts";
import { type BatchResult, countMessages, notStored, type StorePendingDeps, storePending } from "./store-pending.ts";
import { MAX_BATCH_MESSAGES, type TenantQueue } from "./tenant-queue.ts";
import { type Batch, type QueuesDeps, TenantQueues } from "./tenant-queues.ts";

/** The number of slow batches that the next one may overtake. Each occupies a database connection. */
const MAX_OVERTAKEN = 2;
/** The divisor for the size of a repeated batch. Each attempt that times out takes seconds, so few are allowed. */
const DIVISOR = { refused: 2, timed_out: 8 };
const NO_PARTS: readonly PreparedMessage[] = [];

/** The messages waiting for their commit. */
export interface IngestQueue {
  messages: number;
  bytes: number;
}

export type ShardDeps = StorePendingDeps &
  QueuesDeps & {
    /** The number of shards in all processes of this service. */
    shards: number;
  };

/**
 * Stores the messages of its devices, in order per device. Shared batches are stored one at a time while the next one
 * collects messages, at least for a short time (collecting.ts), so batches grow with the load. The next batch overtakes
 * a slow one, whose tenants are isolated (isolation.ts): their batches and the shared ones are stored concurrently. A
 * batch that the database refuses is repeated in smaller ones until the message at fault is alone.
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
   * @param defer parses the message when a batch takes it, to replace `prepared`
   * @param position the position of a message from the stream
   */
  add(
    message: Message,
    prepared: PreparedMessage,
    defer?: () => PreparedMessage,
    position?: StreamPosition,
  ): Promise<NotStored | undefined> {
    return new Promise((resolve, reject) => {
      this.#messages++;
      this.#bytes += message.payload.length;
      const started = { rows: 0, parts: NO_PARTS, storedRows: 0, timeouts: 0 };
      const pending = { message, position, prepared, defer, ...started, resolve, reject };
      if (defer === undefined) setPrepared(pending, prepared);
      this.#queues.add(pending);
      this.#wake();
    });
  }

  queue(): IngestQueue {
    return { messages: this.#messages, bytes: this.#bytes };
  }

  /** Resolves when no messages are waiting. */
  drain(): Promise<void> {
    if (this.#messages === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Iterates over the messages that are not answered. */
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

  /** Resolves when the batch is stored, or when it proves slow and the next one need not wait for it. */
  async #storeOrOvertake(batch: Batch): Promise<void> {
    const stored = this.#store(batch);
    if (this.#overtaken >= MAX_OVERTAKEN) return await stored;
    const inTime = stored.then(() => true);
    if (await withTimeout(inTime, this.#deps.isolation.slowMs(), () => false)) return;
    this.#overtaken++;
    void stored.then(() => this.#overtaken--);
  }

  /** Stores a batch, and answers its messages or puts them back into their queues. Never rejects. */
  async #store(batch: Batch): Promise<void> {
    const started = performance.now();
    if (batch.messages.length > 0) {
      this.#inFlight.add(batch);
      const result = await storePending(this.#deps, batch.messages);
      this.#assess(batch, result, performance.now() - started);
      if (result.outcome === "stored") this.#finishStored(batch);
      else if (result.outcome === "failed") this.#fail(batch, result.error);
      else await this.#divide(batch, result);
      this.#inFlight.delete(batch);
    }
    this.#queues.release(batch, performance.now() - started, () => this.#wake());
    this.#wake();
  }

  /** Decides which tenants to isolate, and the size of the next batch of a tenant at fault. */
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

  #finishStored({ queues, messages }: Batch): void {
    const unfinished = messages.filter(({ parts }) => parts.length > 0);
    const done = unfinished.length === 0 ? messages : messages.filter(({ parts }) => parts.length === 0);
    for (const pending of unfinished) {
      pending.storedRows += pending.rows;
      startPart(pending, pending.parts);
    }
    this.#putBack(queues, unfinished);
    countMessages(this.#deps.metrics, done);
    this.#answer(done, ({ resolve, prepared }) => resolve(notStored(prepared)));
  }

  /**
   * Repeats a refused batch. A shared one's tenants are isolated; an isolated one gets smaller batches, down to one
   * message.
   */
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
   * Fails a batch. If PostgreSQL did not answer, it is unknown whether the batch was stored. Later messages of its
   * devices fail as well, so that nothing a connection has sent is stored without what came before it.
   */
  #fail({ queues, messages }: Batch, error: unknown): void {
    const devices = new Set(messages.map(({ message }) => message.deviceUid));
    const behind = queues.flatMap((queue) => queue.remove((pending) => isBehind(pending, devices)));
    this.#answer([...messages, ...behind], ({ reject }) => reject(error));
  }

  #putBack(queues: Batch["queues"], messages: readonly PendingMessage[], place: "next" | "last" = "next"): void {
    if (messages.length === 0) return;
    for (const queue of queues) {
      const own = messages.filter(({ message }) => message.tenantId === queue.tenantId);
      if (own.length > 0) queue.putBack(own, place);
    }
  }

  #answer(messages: readonly PendingMessage[], answer: (pending: PendingMessage) => void): void {
    this.#messages -= messages.length;
    for (const { message } of messages) this.#bytes -= message.payload.length;
    for (const pending of messages) answer(pending);
    if (this.#messages > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

/**
 * Selects the messages that must fail with their device's earlier ones. A will is not among them: its session has
 * ended, so no client would send it again.
 */
function isBehind({ message, position }: PendingMessage, devices: ReadonlySet<string>): boolean {
  const isStoredAgain = message.arrival !== undefined || position !== undefined;
  return isStoredAgain && devices.has(message.deviceUid);
}

function dividedSize(messages: number, outcome: keyof typeof DIVISOR): number {
  return Math.max(1, Math.floor(messages / DIVISOR[outcome]));
}

/**
 * Waits for the next turn of the event loop. Sockets and timers are served, and messages that arrive together are
 * stored together.
 */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
