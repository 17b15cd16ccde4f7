import type { Db } from "../../db/database.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import type { StreamSettings } from "../../lib/nats/stream-settings.ts";
import type { Answer, Ingest, Replay } from "../ingest.ts";
import type { Message } from "../parse/prepare-message.ts";
import { createServerTime } from "../parse/server-time.ts";
import { Appender } from "./appender.ts";
import type { Arrival } from "./batch-format.ts";
import { IngestStream } from "./ingest-stream.ts";
import { OwnedPartitions } from "./owned-partitions.ts";
import { PARTITIONS } from "./partitions.ts";
import { type Decision, forgetProcess, recordProcess, type Way } from "./process-store.ts";

export interface StreamIngestDeps {
  settings: StreamSettings;
  direct: Ingest & Replay;
  db: Db;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: IngestStreamMetrics;
}

const POLL_MS = SECOND;
/**
 * A process without the database for this long claims no partitions immediately, because others may be back a moment
 * later.
 */
const ABSENT_MS = 3 * SECOND;
/** The size of the shortest record with a value, in a JSON array and in a SenML pack in CBOR. */
const [JSON_RECORD_BYTES, CBOR_RECORD_BYTES] = [8, 3];
const [BRACE, BRACKET] = [0x7b, 0x5b];

/**
 * Routes device messages: directly into the database, or into the stream, from which the processes store them. All
 * processes use the same way (process-store.ts), so that a device's messages stay in order when it connects to another
 * process.
 */
export class StreamIngest {
  readonly #deps: StreamIngestDeps;
  readonly #id: string;
  readonly #stream: IngestStream;
  readonly #appender: Appender;
  readonly #owned: OwnedPartitions;
  readonly #times = createServerTime();
  /** The messages that arrive during a change of the way. */
  #waiting: (() => void)[] = [];
  #way: Way = "none";
  /** Whether messages may take the way. */
  #isOpen = false;
  #isDraining = false;
  #decision: Decision | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isStopped = false;
  #hasFailed = false;

  constructor(deps: StreamIngestDeps) {
    const { db, ids, clock, direct, settings, logger, metrics } = deps;
    this.#deps = deps;
    this.#id = ids.uuid(clock.now());
    const name = this.#id.slice(-12);
    this.#stream = new IngestStream({
      settings,
      name,
      clock,
      logger,
      metrics,
      onRoom: (room) => this.#appender.measure(room),
    });
    const { jetStream } = this.#stream;
    this.#appender = new Appender({ name, jetStream, logger, metrics });
    this.#owned = new OwnedPartitions({
      db,
      ownerId: this.#id,
      jetStream,
      replay: direct.replay,
      clock,
      logger,
      metrics,
    });
  }

  /** The reason why messages are not acknowledged; undefined if they are, or if the stream is not used. */
  get problem(): string | undefined {
    if (this.#decision?.target !== "stream" && this.#deps.settings.wanted === "direct") return undefined;
    return this.#stream.problem ?? this.#appender.problem;
  }

  /** Whether the stream is in use or is about to be. */
  get isUsed(): boolean {
    return this.#deps.settings.wanted === "stream" || this.#decision?.target === "stream";
  }

  /**
   * Whether messages are acknowledged while the database answers no process. No other process can take over sessions
   * then.
   */
  get outlastsDatabase(): boolean {
    return this.#way === "stream" && this.#isOpen && this.#stream.isAlone;
  }

  queue(): { messages: number; bytes: number } {
    return this.#appender.queue();
  }

  /** Resolves like `Ingest.ingest`; a message that takes the stream is not parsed before it is acknowledged. */
  ingest(message: Message): Answer {
    if (!this.#isOpen) {
      return new Promise((resolve, reject) => {
        this.#waiting.push(() => this.ingest(message).then(resolve, reject));
      });
    }
    if (this.#way === "direct") return this.#deps.direct.ingest(message);
    return this.#appender.append({ message, ...this.#arrivalOf(message) }).then(() => undefined);
  }

  /** Starts storing the content of the stream. @throws Error if NATS or its settings must be changed */
  async start(): Promise<void> {
    if (this.#deps.settings.wanted === "stream") await this.#stream.open();
    await this.poll();
    this.#timer = setInterval(() => void this.poll(), POLL_MS).unref();
  }

  /** Resolves when all received messages are appended or stored. */
  async drain(): Promise<void> {
    await Promise.all([this.#appender.drain(), this.#deps.direct.drain()]);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#polling;
    this.#appender.stop();
    try {
      await this.#owned.close();
      await forgetProcess(this.#deps.db, this.#id);
    } catch (error) {
      this.#deps.logger.warn(
        { err: (error as Error).message },
        "this process could not release its partitions of the stream; others take them within seconds",
      );
    }
    await this.#stream.close();
  }

  /** Performs one step, on behalf of the timer or a test. Never rejects. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll()
      .then(() => {
        this.#hasFailed = false;
      })
      .catch((error: Error) => {
        if (!this.#hasFailed)
          this.#deps.logger.warn({ err: error.message }, "the ingest stream cannot be stored; retrying");
        this.#hasFailed = true;
      })
      .finally(() => {
        this.#polling = undefined;
      });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const previous = this.#decision;
    const isNeeded = this.isUsed || previous?.isStreamUsed === true;
    const state = isNeeded ? await this.#stream.check() : undefined;
    const isEmpty = state?.isDrained === true;
    const contents = !isEmpty ? "messages" : previous?.isAppended === false ? "nothing more" : "nothing";
    const { db, clock, settings } = this.#deps;
    const own = { id: this.#id, wanted: settings.wanted, way: this.#way };
    const decision = await recordProcess(db, own, contents);
    this.#stream.sayDatabaseAnswers();
    this.#decision = decision;
    this.#follow(decision);
    const wasAbsent = clock.monotonicMs() - this.#polledAt > ABSENT_MS;
    this.#polledAt = clock.monotonicMs();
    const share = decision.target === "stream" ? shareOf(decision) : 0;
    if (share === 0 && this.#owned.size === 0) return;
    await this.#owned.balance(wasAbsent ? Math.min(share, this.#owned.size) : share, state);
  }

  /** Switches to the decided way, or starts to leave the current one. */
  #follow({ target, way }: Decision): void {
    if (way === target && way !== this.#way) {
      this.#way = way;
      this.#isOpen = true;
      this.#deps.logger.info({ way }, "device messages take this way");
      for (const again of this.#waiting.splice(0)) again();
    } else if (this.#way !== "none" && this.#way !== target && !this.#isDraining) void this.#leave();
  }

  async #leave(): Promise<void> {
    this.#isOpen = false;
    this.#isDraining = true;
    await (this.#way === "direct" ? this.#deps.direct.drain() : this.#appender.drain());
    this.#way = "none";
    this.#isDraining = false;
    void this.poll();
  }

  #arrivalOf({ arrival, deviceUid, payload }: Message): Arrival {
    if (arrival?.nowMs !== undefined) return { nowMs: arrival.nowMs, time: arrival.time ?? arrival.nowMs * 1000 };
    const nowMs = this.#deps.clock.now().getTime();
    const count = mostReadings(payload);
    const first = { nowMs, time: this.#times.reserve(deviceUid, nowMs, count).next(deviceUid, nowMs) };
    if (arrival) Object.assign(arrival, first);
    return first;
  }
}

/** Returns the maximum number of readings of a payload, whose format is unknown here. Each may need a time. */
function mostReadings(payload: Buffer): number {
  // An object is one reading, unless it is a batch of Telegraf.
  if (payload[0] === BRACE && !payload.includes('"metrics"')) return 1;
  const isJson = payload[0] === BRACE || payload[0] === BRACKET;
  return Math.ceil(payload.length / (isJson ? JSON_RECORD_BYTES : CBOR_RECORD_BYTES)) + 1;
}

/** Returns an even share of the partitions. */
function shareOf({ processes, rank }: Decision): number {
  return Math.floor(PARTITIONS / processes) + (rank < PARTITIONS % processes ? 1 : 0);
}
