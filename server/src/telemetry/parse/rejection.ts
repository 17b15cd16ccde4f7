import { MAX_METRICS } from "../reading.ts";

/** The cause of a rejection, as counted by `muster_messages_rejected_total`. */
export type RejectionCause =
  /** The payload is not telemetry, or none of its values is valid. */
  | "invalid_payload"
  | "payload_bytes"
  | "readings_per_message"
  | "metrics_per_message"
  | "metrics_per_device"
  /** The database refused the data. */
  | "refused_by_database"
  /** The database could not store it within its time limit. */
  | "database_timeout";

/** A field of a payload that is not stored. */
export interface FieldProblem {
  /** The place of the field: a JSON Pointer (RFC 6901), or a byte of a binary payload. */
  path: string;
  reason: string;
}

/** The reason why a message, or a part of it, is not stored. */
export interface Rejection {
  cause: RejectionCause;
  /** A text for the people who maintain the device. */
  reason: string;
  /** The first invalid fields; empty if the message as a whole is rejected. */
  problems?: readonly FieldProblem[] | undefined;
  /** The number of all invalid fields. */
  problemCount?: number | undefined;
}

export function invalid(reason: string): Rejection {
  return { cause: "invalid_payload", reason };
}

/** Prefixes the reason of a rejection with its location. */
export function at(place: string, { cause, reason }: Rejection): Rejection {
  return { cause, reason: place + reason };
}

/** The values that the readings of a message are checked against. */
export interface ReadingChecks {
  /** The server's time. Device times must be near it to be plausible. */
  nowMs: number;
  maxReadings: number;
}

/** @param count a number, or a text such as "more than 1000" */
export function tooManyReadings(count: number | string, { maxReadings }: ReadingChecks): Rejection {
  return { cause: "readings_per_message", reason: `there are ${count} readings; a message may contain ${maxReadings}` };
}

export function tooManyMetrics(count: number | string): Rejection {
  return { cause: "metrics_per_message", reason: `there are ${count} metrics; a message may contain ${MAX_METRICS}` };
}
