import { setTimeout as pause } from "node:timers/promises";
import { SECOND } from "../../lib/clock.ts";
import { stream as limits } from "../../lib/limits/stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import { JETSTREAM_ERROR, type JetStream, JetStreamError, NotStoredYet } from "../../lib/nats/jet-stream.ts";
import { type Appending, AppendQueue } from "./append-queue.ts";
import { encodeBatch, type StreamedMessage } from "./batch-format.ts";
import { PARTITIONS, partitionOf, subjectOf } from "./partitions.ts";
import { type StreamRoom, TenantShares } from "./tenant-shares.ts";

const APPEND_MS = 5 * SECOND;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = SECOND;

export interface AppenderDeps {
  /** The name of this process in its batches. */
  name: string;
  jetStream: Pick<JetStream, "append">;
  logger: Logger;
  metrics: Pick<IngestStreamMetrics, "streamAppended" | "streamAppends" | "streamAppendsFailed" | "streamAvailable">;
}

/** The reason why nothing can be appended now. */
export type AppendProblem = "full" | "unavailable";

/**
 * Appends messages to the stream. Each partition has one batch in flight while the next one collects messages, so
 * messages stay in order and load makes batches larger. A batch is retried under its id until the stream has stored it,
 * whatever happens in between.
 */
export class Appender {
  readonly #deps: AppenderDeps;
  readonly #queues = Array.from({ length: PARTITIONS }, () => new AppendQueue());
  /** The number of the last batch, by partition. */
  readonly #numbers = new Array<number>(PARTITIONS).fill(0);
  /** The partitions that are ready for their turn. */
  readonly #ready = new Set<number>();
  readonly #running = new Set<number>();
  readonly #stop = new AbortController();
  readonly #shares = new TenantShares();
  #waitingTenants = 0;
  #messages = 0;
  #bytes = 0;
  #drained: (() => void)[] = [];
  #problem: AppendProblem | undefined;
  #isScheduled = false;

  constructor(deps: AppenderDeps) {
    this.#deps = deps;
  }

  get problem(): AppendProblem | undefined {
    return this.#problem;
  }

  queue(): { messages: number; bytes: number } {
    return { messages: this.#messages, bytes: this.#bytes };
  }

  /** Resolves when the stream has stored the message. Rejects only when this process stops. */
  append(streamed: StreamedMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#stop.signal.aborted) return reject(stopped());
      const partition = partitionOf(streamed.message.deviceUid);
      this.#queues[partition]!.add({ ...streamed, resolve, reject });
      this.#messages++;
      this.#bytes += streamed.message.payload.length;
      if (!this.#running.has(partition)) this.#ready.add(partition);
      this.#schedule();
    });
  }

  /** Records the fill level of the stream. Tenants above their share wait until it has more room. */
  measure(room: StreamRoom): void {
    this.#shares.measure(room);
    const { countAbove } = this.#shares;
    if (countAbove > this.#waitingTenants)
      this.#deps.logger.warn(
        { tenants: countAbove },
        "acknowledgements wait for tenants that occupy most of the ingest stream",
      );
    this.#waitingTenants = countAbove;
    for (const [partition, queue] of this.#queues.entries())
      if (!queue.isEmpty && !this.#running.has(partition)) this.#ready.add(partition);
    this.#schedule();
  }

  /** Resolves when no messages are waiting. */
  drain(): Promise<void> {
    if (this.#messages === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Rejects the waiting messages. */
  stop(): void {
    this.#stop.abort();
    for (const queue of this.#queues) this.#answer(queue.clear(), ({ reject }) => reject(stopped()));
  }

  /** Schedules an append of all messages that arrive in one turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const partition of this.#ready) {
      if (this.#running.size >= limits.appendsAtOnce.value) return;
      this.#ready.delete(partition);
      void this.#run(partition);
    }
  }

  async #run(partition: number): Promise<void> {
    const queue = this.#queues[partition]!;
    const batch = queue.take((tenantId) => this.#shares.isAbove(tenantId));
    if (batch.length === 0) return;
    this.#running.add(partition);
    const isAppended = await this.#appendBatch(partition, batch);
    this.#running.delete(partition);
    if (isAppended) for (const { message } of batch) this.#shares.appended(message.tenantId, message.payload.length);
    this.#answer(batch, ({ resolve, reject }) => (isAppended ? resolve() : reject(stopped())));
    if (!queue.isEmpty) this.#ready.add(partition);
    this.#pump();
  }

  /** @returns false if this process has stopped */
  async #appendBatch(partition: number, messages: readonly Appending[]): Promise<boolean> {
    const { name, jetStream, metrics } = this.#deps;
    const number = ++this.#numbers[partition]!;
    const data = encodeBatch({ from: name, number, messages: messages as Appending[] });
    let id = `${name}-${partition}-${number}`;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
      const startedMs = performance.now();
      try {
        await jetStream.append(subjectOf(partition), id, data, APPEND_MS);
        metrics.streamAppended.inc(messages.length);
        metrics.streamAppends.observe((performance.now() - startedMs) / SECOND);
        this.#setProblem(undefined);
        return true;
      } catch (error) {
        metrics.streamAppendsFailed.inc();
        // The reader drops duplicates by their number.
        if (error instanceof NotStoredYet) id += "-again";
        this.#setProblem(problemOf(error), error as Error);
      }
      if (this.#stop.signal.aborted) return false;
      await pause(delayMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  #setProblem(problem: AppendProblem | undefined, error?: Error): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#deps.metrics.streamAvailable.set({ stream: "ingest" }, Number(problem === undefined));
    if (problem === undefined) this.#deps.logger.info("the ingest stream takes messages again");
    else this.#deps.logger.error({ err: error!.message }, CONSEQUENCES[problem]);
  }

  #answer(batch: readonly Appending[], answer: (appending: Appending) => void): void {
    this.#messages -= batch.length;
    for (const { message } of batch) this.#bytes -= message.payload.length;
    for (const appending of batch) answer(appending);
    if (this.#messages > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

const CONSEQUENCES = {
  full: "the ingest stream is full: acknowledgements wait, and devices keep their messages",
  unavailable: "the ingest stream takes no messages: acknowledgements wait, and devices keep their messages",
};

function problemOf(error: unknown): AppendProblem {
  return error instanceof JetStreamError && JETSTREAM_ERROR.full.has(error.number) ? "full" : "unavailable";
}

function stopped(): Error {
  return new Error("the process is stopping: the message is not acknowledged");
}
