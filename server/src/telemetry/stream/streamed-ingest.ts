import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import type { StreamSettings } from "../../lib/nats/stream-settings.ts";
import type { Ingest, Replay } from "../ingest.ts";
import { StreamIngest } from "./stream-ingest.ts";

export interface StreamedIngestDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: IngestStreamMetrics;
  /** The settings of the stream. Without NATS it is undefined, and messages are stored as they arrive. */
  stream?: StreamSettings | undefined;
}

/** The controls of an ingest that may queue messages in JetStream until they are stored. */
export interface StreamedIngest {
  /**
   * Starts storing the content of the stream. Must run before the broker opens its listener. @throws Error if NATS or
   * its settings must be changed
   */
  startStream(): Promise<void>;
  /** Finishes storing the messages already read, and leaves the rest to other processes. Must be the last call. */
  stopStream(): Promise<void>;
  /** Returns why device messages are not acknowledged; null if they are, undefined if no stream is used. */
  streamProblem(): string | null | undefined;
  /** Checks whether messages are acknowledged while the database answers no process. */
  outlastsDatabase(): boolean;
}

/** Creates an ingest that takes messages like `direct` or first into the stream, transparently for the caller. */
export function createStreamedIngest(deps: StreamedIngestDeps, direct: Ingest & Replay): Ingest & StreamedIngest {
  const { stream: settings, database } = deps;
  if (settings === undefined) return { ...direct, ...UNUSED };
  const stream = new StreamIngest({ ...deps, settings, direct, db: database.db });
  return {
    ...direct,
    ingest: (message) => stream.ingest(message),
    queue() {
      const [stored, appended] = [direct.queue(), stream.queue()];
      return { messages: stored.messages + appended.messages, bytes: stored.bytes + appended.bytes };
    },
    drain: () => stream.drain(),
    startStream: () => stream.start(),
    stopStream: () => stream.stop(),
    outlastsDatabase: () => stream.outlastsDatabase,
    streamProblem: () => (stream.isUsed ? (stream.problem ?? null) : undefined),
  };
}

const UNUSED: StreamedIngest = {
  startStream: async () => {},
  stopStream: async () => {},
  streamProblem: () => undefined,
  outlastsDatabase: () => false,
};
