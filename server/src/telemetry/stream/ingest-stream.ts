import { setTimeout as pause } from "node:timers/promises";
import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import { JETSTREAM_ERROR, JetStream, JetStreamError, type StreamState } from "../../lib/nats/jet-stream.ts";
import { NatsClient } from "../../lib/nats/nats-client.ts";
import { INGEST_STREAM, type StreamSettings } from "../../lib/nats/stream-settings.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import { DatabaseReports } from "./database-reports.ts";
import { SUBJECTS } from "./partitions.ts";
import type { StreamRoom } from "./tenant-shares.ts";

export interface IngestStreamDeps {
  settings: StreamSettings;
  name: string;
  clock: Clock;
  logger: Logger;
  /** Called with the fill level of the stream, about once a second. */
  onRoom(room: StreamRoom): void;
  metrics: Pick<IngestStreamMetrics, "streamBatches" | "streamBytes" | "streamOldest" | "streamAvailable">;
}

/**
 * The time within which NATS recognizes a batch that is appended again. After it, the process that stores the batch
 * does.
 */
const DUPLICATE_WINDOW_MS = 120 * SECOND;

/** The interval between checks of the stream, even while the database does not answer. */
const CHECK_MS = SECOND;
const ANSWERED_MS = 4 * SECOND;
/** The longest that NATS servers started together with this process may take to join and elect a leader. */
const PLACED_MS = 30 * SECOND;

/** Returns the subject on which a process announces that the database answers it. */
function databaseSubject(name: string): string {
  return `muster.database.${name}`;
}

/** The content of the stream, and whether it is drained. */
interface StreamContents {
  /** Undefined if there is no stream. */
  id: string | undefined;
  isDrained: boolean;
  bytes: number;
}

/** The stream in NATS: its connection, configuration and content. */
export class IngestStream {
  readonly jetStream: JetStream;
  readonly #deps: IngestStreamDeps;
  readonly #client: NatsClient;
  readonly #others = new DatabaseReports();
  #timer: NodeJS.Timeout | undefined;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<StreamContents | undefined> | undefined;
  #isOpened = false;
  #isCreated = false;
  #problem: string | undefined = "the ingest stream is not known yet";

  constructor(deps: IngestStreamDeps) {
    const { settings, name, logger } = deps;
    this.#deps = deps;
    this.#client = new NatsClient({
      settings: settings.nats,
      name: `muster ${name} ingest`,
      subscriptions: new Map([
        [`muster.ingest.probe.${name}`, () => undefined],
        [databaseSubject("*"), (_: Buffer, subject: string) => this.#databaseAnswers(subject)],
      ]),
      onUp: () => undefined,
      onConnected: (isConnected) => isConnected || deps.metrics.streamAvailable.set({ stream: "ingest" }, 0),
      consequences: {
        unreachable: "messages of devices are not acknowledged until one does",
        broken: "messages of devices are not acknowledged until there is another one",
      },
      logger,
    });
    this.jetStream = new JetStream(this.#client, INGEST_STREAM);
  }

  /** The reason why the stream accepts no messages; undefined if none is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Checks that the stream answers while no other process reports an answering database. */
  get isAlone(): boolean {
    const nowMs = performance.now();
    return nowMs - this.#answeredMs < ANSWERED_MS && !this.#others.haveLongAnswered(nowMs);
  }

  /** Announces to other processes that the database has answered this one. */
  sayDatabaseAnswers(): void {
    this.#client.publish(databaseSubject(this.#deps.name), Buffer.alloc(0));
  }

  #databaseAnswers(subject: string): void {
    if (subject !== databaseSubject(this.#deps.name)) this.#others.heard(performance.now());
  }

  /**
   * Connects and creates the stream. If NATS does not answer, `check` repeats that later. @throws Error if an operator
   * must act
   */
  async open(): Promise<void> {
    this.#isOpened = true;
    this.#timer = setInterval(() => void this.check().catch(() => undefined), CHECK_MS).unref();
    const isConnected = await this.#client.open();
    if (!isConnected || this.#deps.settings.wanted === "direct") return;
    try {
      await this.#createOncePlaced();
    } catch (error) {
      if (error instanceof JetStreamError) throw new Error(sentenceOf(error, this.#deps.settings));
      this.#deps.logger.error({ err: (error as Error).message }, "the ingest stream does not answer");
    }
  }

  /** @returns the content of the stream, or undefined if it does not answer promptly */
  async check(): Promise<StreamContents | undefined> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return await withTimeout(this.#checking, CHECK_MS, () => undefined);
  }

  async #check(): Promise<StreamContents | undefined> {
    if (!this.#isOpened) await this.open();
    try {
      if (!this.#isCreated && this.#deps.settings.wanted === "stream") await this.#create();
      const state = await this.jetStream.info();
      // A lost stream is created by the next check.
      if (state === undefined) this.#isCreated = false;
      this.#measure(state);
      return { id: state?.id, isDrained: state === undefined || state.messages === 0, bytes: state?.bytes ?? 0 };
    } catch (error) {
      this.#isCreated = false;
      this.#problem =
        error instanceof JetStreamError ? sentenceOf(error, this.#deps.settings) : (error as Error).message;
      this.#deps.metrics.streamAvailable.set({ stream: "ingest" }, 0);
      return undefined;
    }
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.#client.close();
  }

  /** @throws JetStreamError also if the servers find no place for the stream within {@link PLACED_MS} */
  async #createOncePlaced(): Promise<void> {
    const { logger, settings } = this.#deps;
    const untilMs = performance.now() + PLACED_MS;
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.#create();
      } catch (error) {
        if (!isNotPlaced(error) || performance.now() >= untilMs) throw error;
        const seconds = PLACED_MS / SECOND;
        if (isFirst)
          logger.warn(
            { err: sentenceOf(error, settings) },
            `waiting at most ${seconds} s for enough NATS servers to join`,
          );
      }
      await pause(CHECK_MS);
    }
  }

  async #create(): Promise<void> {
    const { maxBytes, replicas } = this.#deps.settings;
    const state = await this.jetStream.create({
      name: INGEST_STREAM,
      subjects: [SUBJECTS],
      maxBytes,
      replicas,
      duplicateWindowMs: DUPLICATE_WINDOW_MS,
    });
    this.#isCreated = true;
    this.#measure(state);
    if (replicas < 3)
      this.#deps.logger.warn(
        { replicas },
        "the ingest stream is on one server: its acknowledged messages are lost with its disk",
      );
  }

  #measure(state: StreamState | undefined): void {
    const { streamBatches, streamBytes, streamOldest, streamAvailable } = this.#deps.metrics;
    if (this.#problem !== undefined) streamAvailable.set({ stream: "ingest" }, 1);
    this.#problem = undefined;
    this.#answeredMs = performance.now();
    this.#deps.onRoom({ bytes: state?.bytes ?? 0, maxBytes: state?.maxBytes ?? 0 });
    streamBatches.set(state?.messages ?? 0);
    streamBytes.set({ of: "used" }, state?.bytes ?? 0);
    streamBytes.set({ of: "limit" }, state?.maxBytes ?? 0);
    const now = this.#deps.clock.now().getTime();
    streamOldest.set(state?.oldestAt ? Math.max(0, now - state.oldestAt.getTime()) / SECOND : 0);
  }
}

function isNotPlaced(error: unknown): error is JetStreamError {
  return error instanceof JetStreamError && JETSTREAM_ERROR.notPlaced.has(error.number);
}

function sentenceOf(error: JetStreamError, { replicas, maxBytes }: StreamSettings): string {
  if (error.number === JETSTREAM_ERROR.notEnabled)
    return "MUSTER_INGEST=stream needs JetStream, which the NATS servers do not have (muster nats config prints a configuration)";
  return `NATS refuses the ingest stream of ${maxBytes} bytes on ${replicas} servers (MUSTER_NATS_STREAM_BYTES, MUSTER_NATS_REPLICAS): ${error.message}`;
}
