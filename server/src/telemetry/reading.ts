import { ingest } from "../lib/limits/ingest.ts";

/** A value that a device publishes. */
export type MetricValue = number | boolean | string;

/** The values that a message has for one time: metric `metrics[i]` had the value `values[i]`. */
export interface Reading {
  /** Microseconds since 1970 by the device's clock; `undefined`: the server's time is used. */
  time: number | undefined;
  /** The device's time was implausible, so the server's replaces it. */
  timeReplaced: boolean;
  metrics: string[];
  values: MetricValue[];
}

export const MAX_PAYLOAD_BYTES = ingest.payloadBytes.value;
export const MAX_METRICS = ingest.metricsPerMessage.value;
export const MAX_REJECTED_PER_DEVICE = ingest.rejectedMessagesPerDevice.value;
export const MAX_REJECTED_PAYLOAD_BYTES = ingest.rejectedPayloadBytes.value;
const MAX_TEXT_BYTES = ingest.metricTextBytes.value;
const MAX_NAME_BYTES = ingest.metricNameBytes.value;
const MAX_AHEAD_MS = 10 * 60_000;
const MAX_BEHIND_MS = 30 * 86_400_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Why `name` cannot name a metric; `undefined` when it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length === 0) return "a metric needs a name";
  if (longerThan(name, MAX_NAME_BYTES)) return `the metric name ${quoted(name)} is longer than ${MAX_NAME_BYTES} bytes`;
  if (CONTROL.test(name)) return `the metric name ${quoted(name)} contains a control character`;
  if (!name.isWellFormed()) return `the metric name ${quoted(name)} is not valid Unicode`;
  // In an object that maps metrics to values, assigning this key would set the prototype instead.
  if (name === "__proto__") return `a metric cannot be named ${quoted(name)}`;
  return undefined;
}

/** Why `value` cannot be the value of `name`; `undefined` when it is a {@link MetricValue} within the limits. */
export function valueProblem(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `${quoted(name)} is a number too large to hold`;
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
  // PostgreSQL stores neither of these: checked here, so that one message does not fail the batch of the others.
  if (text.includes("\0")) return `the text of ${quoted(name)} contains a NUL character`;
  if (!text.isWellFormed()) return `the text of ${quoted(name)} is not valid Unicode`;
  return undefined;
}

/** A {@link Reading} without values for a device's time in microseconds; it is replaced when more than 10 min ahead or 30 d behind. */
export function readingAt(time: number, nowMs: number): Reading {
  const plausible = time <= (nowMs + MAX_AHEAD_MS) * 1000 && time >= (nowMs - MAX_BEHIND_MS) * 1000;
  return { time: plausible ? time : undefined, timeReplaced: !plausible, metrics: [], values: [] };
}

/** Text of a device as part of a reason: cut to 40 characters, quoted, control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

/** The kind of `value` as part of a reason. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}

/** Whether `text` has more than `bytes` bytes in UTF-8. Counts them only when the number of characters does not decide it. */
function longerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}
