import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import type { StreamSettings } from "../../lib/nats/stream-settings.ts";
import type { Ingest, Replay } from "../ingest/ingest.ts";
import { StreamIngest } from "./stream-ingest.ts";

export interface StreamedIngestDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: IngestStreamMetrics;
  /** Undefined without NATS: then messages are stored as they arrive. */
  stream?: StreamSettings | undefined;
}

/** What keeps messages in JetStream until they are stored. */
export interface StreamedIngest {
  /** Begins to store what the stream holds; before the broker opens its listener. @throws Error where NATS or its settings must be changed */
  startStream(): Promise<void>;
  /** Has what was read stored, and leaves the rest to other processes. The last that may be called. */
  stopStream(): Promise<void>;
  /** What keeps messages of devices from being acknowledged; null where nothing does, undefined where no stream is used. */
  streamProblem(): string | null | undefined;
  /** Whether messages are acknowledged although the database answers no process. */
  outlastsDatabase(): boolean;
}

/** Takes messages as `direct` does, or first into the stream; the caller does not know which. */
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
