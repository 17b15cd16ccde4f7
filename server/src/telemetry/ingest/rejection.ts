import { MAX_METRICS } from "../reading.ts";

/** Why a message was rejected, as `muster_messages_rejected_total` counts it. */
export type RejectionCause =
  /** The payload is no telemetry, or one of its values is wrong. */
  | "invalid_payload"
  | "payload_bytes"
  | "readings_per_message"
  | "metrics_per_message"
  | "metrics_per_device"
  /** The database refused the data. */
  | "refused_by_database"
  /** The database could not store it within its time limit. */
  | "database_timeout";

export interface Rejection {
  cause: RejectionCause;
  /** For the people who maintain the device. */
  reason: string;
}

export function invalid(reason: string): Rejection {
  return { cause: "invalid_payload", reason };
}

/** The same rejection with the place in front of its reason. */
export function at(place: string, { cause, reason }: Rejection): Rejection {
  return { cause, reason: place + reason };
}

/** What the readings of a message are checked against. */
export interface ReadingChecks {
  /** The server's time, which device times must be near to be plausible. */
  nowMs: number;
  maxReadings: number;
}

/** @param count a number, or how it is stated: "more than 1000" */
export function tooManyReadings(count: number | string, { maxReadings }: ReadingChecks): Rejection {
  return { cause: "readings_per_message", reason: `there are ${count} readings; a message may hold ${maxReadings}` };
}

export function tooManyMetrics(count: number | string): Rejection {
  return { cause: "metrics_per_message", reason: `there are ${count} metrics; a message may hold ${MAX_METRICS}` };
}
