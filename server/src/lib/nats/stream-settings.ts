import type { NatsSettings } from "./nats-settings.ts";

/** The stream's name in JetStream. */
export const INGEST_STREAM = "MUSTER_INGEST";

/** Whether and how messages of devices wait in JetStream for their commit (docs/scaling.md). */
export interface StreamSettings {
  /** `MUSTER_INGEST`: `stream` acknowledges what the stream has, `direct` what is stored. */
  wanted: "direct" | "stream";
  nats: NatsSettings;
  /** What the stream may hold. */
  maxBytes: number;
  /** Servers that have each batch. */
  replicas: number;
  /** How long sessions are kept, and messages acknowledged, while the database answers no process. */
  sessionsMs: number;
}
