import type { NatsSettings } from "./nats-settings.ts";

/** The stream's name in JetStream. */
export const INGEST_STREAM = "MUSTER_INGEST";

/** Whether and how device messages wait in JetStream for their commit (docs/scaling.md). */
export interface StreamSettings {
  /** `MUSTER_INGEST`: `stream` acknowledges a message once the stream has it, `direct` once it is stored. */
  wanted: "direct" | "stream";
  nats: NatsSettings;
  /** The stream's maximum size. */
  maxBytes: number;
  /** The number of servers that have a copy of each batch. */
  replicas: number;
  /** The time for which sessions stay open and messages are acknowledged while the database answers no process. */
  sessionsMs: number;
}
