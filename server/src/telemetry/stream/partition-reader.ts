import { setTimeout as pause } from "node:timers/promises";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { stream as limits } from "../../lib/limits/stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import type { JetStream, StreamMessage } from "../../lib/nats/jet-stream.ts";
import { storeOutcome } from "../batch/store-batch.ts";
import type { Replay } from "../ingest.ts";
import type { Claim } from "../stream-position.ts";
import { decodeBatch, type StreamBatch } from "./batch-format.ts";
import type { ClaimedPartition, PartitionState } from "./partition-store.ts";
import { subjectOf } from "./partitions.ts";
import { ReadAhead } from "./read-ahead.ts";

const FIRST_IDLE_MS = 5;
const LAST_IDLE_MS = 100;
const RETRY_MS = 500;
/** Messages that arrived within this time may still be on their way into the stream. */
export const RECENT_MS = 5 * SECOND;
/** The approximate memory of a message in addition to its payload. */
const MESSAGE_BYTES = 500;
/** The number of processes whose last batch is remembered. */
const MAX_PRODUCERS = 100;

export interface ReaderDeps {
  jetStream: Pick<JetStream, "next">;
  replay: Replay["replay"];
  clock: Clock;
  logger: Logger;
  metrics: Pick<IngestStreamMetrics, "streamStored" | "streamRefused">;
}

/** A batch from the stream whose messages are being stored. */
interface OpenBatch {
  sequence: number;
  from: string;
  number: number;
  /** The arrival time of its first message, in milliseconds since 1970. */
  arrivedMs: number;
  /** The number of messages not stored yet. */
  remaining: number;
}

/**
 * Reads one partition in order and stores its messages, until another process owns it or storing fails. Messages of a
 * device are stored in order: each tenant's messages are stored one batch after the other, and after a failure nothing
 * of the partition is stored under this claim.
 */
export class PartitionReader {
  readonly claim: Claim;
  readonly #deps: ReaderDeps;
  readonly #progress: ReadonlyMap<number, string | null>;
  /** Maps each process to the number of its last batch that was read or stored, respectively. */
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
  /** The time, in milliseconds since 1970, whose stream content has been read. */
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

  /** Checks whether all messages are stored except those of the last seconds. */
  get #isCaughtUp(): boolean {
    const recentMs = this.#deps.clock.now().getTime() - RECENT_MS;
    const [oldest] = this.#open;
    return this.#readMs >= recentMs && (oldest === undefined || oldest.arrivedMs >= recentMs);
  }

  /** Whether nothing of the partition is being stored or will be. */
  get isIdle(): boolean {
    return (this.claim.isLost || this.isClosed) && this.#inFlight === 0;
  }

  /** Whether reading has stopped. */
  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Stops reading. Messages already read are still stored. */
  close(): void {
    this.#stop.abort();
    this.#wakeUp();
  }

  /** Stops storing immediately. */
  lose(): void {
    this.claim.isLost = true;
    this.close();
  }

  /** Resolves when every message read is stored or has failed. */
  async idle(): Promise<void> {
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

  /** Takes messages in order. After an unreadable one, no later message is stored under this claim. */
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
      // The appending process and the connection state report this failure.
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
    // A batch that was appended twice, after the stream's duplicate window had passed.
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
          () => this.#finish(open, bytes),
          (error: unknown) => this.#finish(open, bytes, error),
        );
      });
    }
    this.#advance();
  }

  #finish(open: OpenBatch, bytes: number, error?: unknown): void {
    this.#inFlight--;
    this.#bytes -= bytes;
    if (error === undefined) {
      open.remaining--;
      this.#deps.metrics.streamStored.inc();
    } else if (storeOutcome(error) === "refused") {
      // Its device or tenant is gone, so it cannot even be stored as a rejected message.
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

  /** Ends the claim, because the progress is unknown. The next claim reads it from the database. */
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

/**
 * Merges the progress that each transaction recorded. Maps sequences to the stored messages as `0` and `1`, or to null
 * for all.
 */
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

/** Remembers a process's batch number, for the most recent processes only. */
function remember(producers: Map<string, number>, from: string, number: number): void {
  producers.delete(from);
  producers.set(from, number);
  if (producers.size <= MAX_PRODUCERS) return;
  const [oldest] = producers.keys();
  producers.delete(oldest!);
}
