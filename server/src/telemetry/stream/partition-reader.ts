import { setTimeout as pause } from "node:timers/promises";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { stream as limits } from "../../lib/limits/stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import type { JetStream, StreamMessage } from "../../lib/nats/jet-stream.ts";
import type { Replay } from "../ingest/ingest.ts";
import { storeOutcome } from "../ingest/store-batch.ts";
import { decodeBatch, type StreamBatch } from "./batch-format.ts";
import type { ClaimedPartition, PartitionState } from "./partition-store.ts";
import { subjectOf } from "./partitions.ts";
import type { Claim } from "./position.ts";
import { ReadAhead } from "./read-ahead.ts";

const FIRST_IDLE_MS = 5;
const LAST_IDLE_MS = 100;
const RETRY_MS = 500;
/** What arrived within it may be on its way into the stream. */
export const RECENT_MS = 5 * SECOND;
/** What a message takes in memory beside its payload, about. */
const MESSAGE_BYTES = 500;
/** Processes whose last batch is remembered. */
const MAX_PRODUCERS = 100;

export interface ReaderDeps {
  jetStream: Pick<JetStream, "next">;
  replay: Replay["replay"];
  clock: Clock;
  logger: Logger;
  metrics: Pick<IngestStreamMetrics, "streamStored" | "streamRefused">;
}

/** A batch of the stream that is being stored. */
interface OpenBatch {
  sequence: number;
  from: string;
  number: number;
  /** When its first message arrived, in milliseconds since 1970. */
  arrivedMs: number;
  /** Messages that are not stored. */
  remaining: number;
}

/**
 * Reads one partition in its order and has its messages stored, until another process has it or storing fails. Messages of one device are stored in their
 * order: each tenant's are stored one batch after the other, and after a failure nothing of the partition is stored under this claim.
 */
export class PartitionReader {
  readonly claim: Claim;
  readonly #deps: ReaderDeps;
  readonly #progress: ReadonlyMap<number, string | null>;
  /** Process → the number of its last batch that was read, and stored. */
  readonly #read: Map<string, number>;
  readonly #stored: Map<string, number>;
  readonly #open: OpenBatch[] = [];
  readonly #ahead: ReadAhead;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #storedSequence: number;
  #nextSequence: number;
  #bytes = 0;
  #inFlight = 0;
  #wake: (() => void) | undefined;
  /** What was in the stream then has been read, in milliseconds since 1970. */
  #readMs = 0;

  constructor(deps: ReaderDeps, { partition, epoch, storedSequence, producers, progress }: ClaimedPartition) {
    this.#deps = deps;
    this.claim = { partition, epoch, isLost: false };
    this.#storedSequence = storedSequence;
    this.#nextSequence = storedSequence + 1;
    this.#read = new Map(Object.entries(producers));
    this.#stored = new Map(Object.entries(producers));
    this.#progress = progressOf(progress);
    this.#ahead = new ReadAhead((sequence) => deps.jetStream.next(subjectOf(partition), sequence));
    this.#ended = this.#run();
  }

  get state(): PartitionState {
    const { partition, epoch } = this.claim;
    const producers = Object.fromEntries(this.#stored);
    return { partition, epoch, storedSequence: this.#storedSequence, producers, isCaughtUp: this.#isCaughtUp };
  }

  /** What has arrived is stored, but for the last seconds. */
  get #isCaughtUp(): boolean {
    const recentMs = this.#deps.clock.now().getTime() - RECENT_MS;
    const [oldest] = this.#open;
    return this.#readMs >= recentMs && (oldest === undefined || oldest.arrivedMs >= recentMs);
  }

  /** Nothing of it is being stored, and nothing more will be. */
  get isIdle(): boolean {
    return (this.claim.isLost || this.isClosed) && this.#inFlight === 0;
  }

  /** Nothing more is read. */
  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Reads no more; what was read is stored. */
  close(): void {
    this.#stop.abort();
    this.#wakeUp();
  }

  /** Stores nothing more. */
  lose(): void {
    this.claim.isLost = true;
    this.close();
  }

  /** Resolves when what was read is stored, or has failed. */
  async settled(): Promise<void> {
    await this.#ended;
    while (this.#inFlight > 0) await this.#woken();
  }

  async #run(): Promise<void> {
    let idleMs = FIRST_IDLE_MS;
    while (!this.#stop.signal.aborted) {
      if (this.#bytes > limits.bytesReadAhead.value) {
        await this.#woken();
        continue;
      }
      const askedMs = this.#deps.clock.now().getTime();
      const messages = await this.#next();
      if (this.#stop.signal.aborted) return;
      if (messages === "failed") await this.#pause(RETRY_MS);
      else if (messages.length === 0) {
        this.#readMs = askedMs;
        await this.#pause(idleMs);
        idleMs = Math.min(2 * idleMs, LAST_IDLE_MS);
      } else {
        idleMs = FIRST_IDLE_MS;
        this.#takeAll(messages);
      }
    }
  }

  /** After one that cannot be read, no later one is stored under this claim. */
  #takeAll(messages: readonly StreamMessage[]): void {
    for (const message of messages) {
      if (this.claim.isLost) return;
      this.#take(message);
    }
  }

  async #next(): Promise<StreamMessage[] | "failed"> {
    try {
      return await this.#ahead.read(this.#nextSequence);
    } catch {
      // The process that appends, and the state of the connection, say so.
      return "failed";
    }
  }

  #take({ sequence, data }: StreamMessage): void {
    let batch: StreamBatch;
    try {
      batch = decodeBatch(data);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    this.#nextSequence = sequence + 1;
    const { from, number, messages } = batch;
    this.#readMs = messages[0]?.nowMs ?? this.#readMs;
    const open: OpenBatch = { sequence, from, number, arrivedMs: this.#readMs, remaining: 0 };
    this.#open.push(open);
    // Appended twice: the window in which the stream recognizes that has passed.
    const isRepeated = number <= (this.#read.get(from) ?? 0);
    if (!isRepeated) {
      remember(this.#read, from, number);
      const stored = this.#progress.get(sequence);
      messages.forEach((streamed, index) => {
        if (stored === null || stored?.[index] === "1") return;
        const bytes = streamed.message.payload.length + MESSAGE_BYTES;
        open.remaining++;
        this.#inFlight++;
        this.#bytes += bytes;
        const position = { claim: this.claim, sequence, index, count: messages.length };
        this.#deps.replay(streamed, position).then(
          () => this.#settle(open, bytes),
          (error: unknown) => this.#settle(open, bytes, error),
        );
      });
    }
    this.#advance();
  }

  #settle(open: OpenBatch, bytes: number, error?: unknown): void {
    this.#inFlight--;
    this.#bytes -= bytes;
    if (error === undefined) {
      open.remaining--;
      this.#deps.metrics.streamStored.inc();
    } else if (storeOutcome(error) === "refused") {
      // Not even as a rejected message: its device or tenant is gone.
      open.remaining--;
      this.#deps.metrics.streamRefused.inc();
    } else this.#fail(error as Error);
    this.#advance();
    this.#wakeUp();
  }

  #advance(): void {
    let done = 0;
    for (const { sequence, from, number, remaining } of this.#open) {
      if (remaining > 0) break;
      this.#storedSequence = sequence;
      if (number > (this.#stored.get(from) ?? 0)) remember(this.#stored, from, number);
      done++;
    }
    if (done > 0) this.#open.splice(0, done);
  }

  /** What is stored is unknown now: it is read from the database with the next claim. */
  #fail(error: Error): void {
    if (this.claim.isLost) return;
    const { partition } = this.claim;
    this.#deps.logger.warn({ partition, err: error.message }, "a partition of the ingest stream is read again");
    this.lose();
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  async #woken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#wake;
    this.#wake = () => {
      others?.();
      resolve();
    };
    await promise;
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

/** Sequence → which messages are stored, as `0` and `1`; null for all. Each transaction has recorded its own. */
function progressOf(rows: ClaimedPartition["progress"]): ReadonlyMap<number, string | null> {
  const progress = new Map<number, string | null>();
  for (const { sequence, stored } of rows) {
    const known = progress.get(sequence);
    if (known === undefined) progress.set(sequence, stored);
    else progress.set(sequence, known === null || stored === null ? null : either(known, stored));
  }
  return progress;
}

function either(a: string, b: string): string {
  return [...a].map((bit, index) => (bit === "1" || b[index] === "1" ? "1" : "0")).join("");
}

/** The last processes only. */
function remember(producers: Map<string, number>, from: string, number: number): void {
  producers.delete(from);
  producers.set(from, number);
  if (producers.size <= MAX_PRODUCERS) return;
  const [oldest] = producers.keys();
  producers.delete(oldest!);
}
