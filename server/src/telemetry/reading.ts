import { ingest } from "../lib/limits/ingest.ts";
import { longerThan, nameProblem, quoted } from "../lib/metric-name.ts";

export { nameProblem, quoted };

/** A value that a device publishes. */
export type MetricValue = number | boolean | string;

/** The values that a message reports for one time: metric `metrics[i]` had the value `values[i]`. */
export interface Reading {
  /** Microseconds since 1970 by the device's clock, or `undefined` to use the server's time. */
  time: number | undefined;
  /** Whether the server's time replaces an implausible device time. */
  timeReplaced: boolean;
  metrics: string[];
  values: MetricValue[];
}

export const MAX_PAYLOAD_BYTES = ingest.payloadBytes.value;
export const MAX_METRICS = ingest.metricsPerMessage.value;
export const MAX_REJECTED_PER_DEVICE = ingest.rejectedMessagesPerDevice.value;
export const MAX_REJECTED_PAYLOAD_BYTES = ingest.rejectedPayloadBytes.value;
const MAX_TEXT_BYTES = ingest.metricTextBytes.value;
const MAX_AHEAD_MS = 10 * 60_000;
const MAX_BEHIND_MS = 30 * 86_400_000;

/** Returns why `value` cannot be a value of `name`, or `undefined` if it is a {@link MetricValue} within the limits. */
export function valueProblem(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `${quoted(name)} is a number too large to store`;
    case "boolean":
      return undefined;
    case "string":
      return textProblem(name, value);
    default:
      return `${quoted(name)} is ${kindOf(value)}; a value is a number, true, false or a string`;
  }
}

function textProblem(name: string, text: string): string | undefined {
  if (longerThan(text, MAX_TEXT_BYTES)) return `the text of ${quoted(name)} is longer than ${MAX_TEXT_BYTES} bytes`;
  // PostgreSQL stores neither of these. Checking here keeps one message from failing the batch for the others.
  if (text.includes("\0")) return `the text of ${quoted(name)} contains a NUL character`;
  if (!text.isWellFormed()) return `the text of ${quoted(name)} is not valid Unicode`;
  return undefined;
}

/**
 * Returns an empty {@link Reading} for a device time in microseconds. A time more than 10 min ahead or 30 d behind is
 * replaced by the server's.
 */
export function readingAt(time: number, nowMs: number): Reading {
  const plausible = time <= (nowMs + MAX_AHEAD_MS) * 1000 && time >= (nowMs - MAX_BEHIND_MS) * 1000;
  return { time: plausible ? time : undefined, timeReplaced: !plausible, metrics: [], values: [] };
}

/** Names the kind of `value` for use in a reason. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}
