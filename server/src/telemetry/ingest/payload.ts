import { isUtf8 } from "node:buffer";
import {
  kindOf,
  MAX_METRICS,
  MAX_PAYLOAD_BYTES,
  type MetricValue,
  nameProblem,
  type Reading,
  readingAt,
  valueProblem,
} from "../reading.ts";
import { readSenml } from "./senml.ts";

export type { MetricValue, Reading } from "../reading.ts";

/** The readings of a message in its order, or the reason why it was rejected. */
export type ParsedPayload = { readings: Reading[] } | { reason: string };

/**
 * Parses a telemetry payload: `{metric: value, …}` (server time), `{"ts": ms, "values": {…}}`, an array of the latter,
 * or a SenML array (RFC 8428). One bad value rejects the whole message (docs/spec-decisions.md). Never throws, whatever the bytes.
 *
 * @param nowMs the server's time, which device times must be near to be plausible
 */
export function parsePayload(payload: Uint8Array, nowMs: number): ParsedPayload {
  if (payload.length === 0) return { reason: "the payload is empty" };
  if (payload.length > MAX_PAYLOAD_BYTES) {
    return { reason: `the payload has ${payload.length} bytes; at most ${MAX_PAYLOAD_BYTES} are allowed` };
  }
  if (!isUtf8(payload)) return { reason: "the payload is not valid UTF-8" };
  const document = parseJson(payload);
  if (document === undefined) return { reason: "the payload is not valid JSON" };
  const readings: Reading[] = [];
  const reason = readDocument(document, nowMs, readings);
  return reason === undefined ? { readings } : { reason };
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Every function below appends to `into` and returns what is wrong; `undefined` when nothing is. */
function readDocument(document: unknown, nowMs: number, into: Reading[]): string | undefined {
  if (Array.isArray(document)) return readArray(document, nowMs, into);
  if (!isObject(document)) return `the payload is ${kindOf(document)}; an object or an array is expected`;
  if (isTimed(document)) return readTimed(document, "", nowMs, into);
  const reading: Reading = { time: undefined, timeReplaced: false, metrics: [], values: [] };
  into.push(reading);
  return readMetrics(document, reading);
}

function readArray(records: unknown[], nowMs: number, into: Reading[]): string | undefined {
  if (records.length === 0) return "the array is empty";
  const [first] = records;
  const problem =
    isObject(first) && "values" in first ? readBuffered(records, nowMs, into) : readSenml(records, nowMs, into);
  return problem ?? tooManyMetrics(into);
}

function readBuffered(records: unknown[], nowMs: number, into: Reading[]): string | undefined {
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (!isObject(record) || !isTimed(record)) return `record ${index + 1} does not hold exactly "ts" and "values"`;
    const problem = readTimed(record, `record ${index + 1}: `, nowMs, into);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function readTimed(record: JsonObject, where: string, nowMs: number, into: Reading[]): string | undefined {
  const { ts, values } = record;
  if (typeof ts !== "number" || !Number.isInteger(ts)) {
    return `${where}"ts" is ${kindOf(ts)}; whole milliseconds since 1970 are expected`;
  }
  if (!isObject(values)) return `${where}"values" is ${kindOf(values)}; an object is expected`;
  const reading = readingAt(ts * 1000, nowMs);
  into.push(reading);
  const problem = readMetrics(values, reading);
  return problem === undefined ? undefined : where + problem;
}

function readMetrics(values: JsonObject, into: Reading): string | undefined {
  const names = Object.keys(values);
  if (names.length === 0) return "there are no values";
  if (names.length > MAX_METRICS) return tooMany(names.length);
  for (const name of names) {
    const value = values[name];
    const problem = nameProblem(name) ?? valueProblem(name, value);
    if (problem !== undefined) return problem;
    into.values.push(value as MetricValue);
  }
  into.metrics = names;
  return undefined;
}

/** Buffered data repeats its metrics, so the limit counts the different ones of a message. */
function tooManyMetrics(readings: Reading[]): string | undefined {
  const names = new Set<string>();
  for (const { metrics } of readings) for (const metric of metrics) names.add(metric);
  return names.size > MAX_METRICS ? tooMany(names.size) : undefined;
}

function tooMany(count: number): string {
  return `there are ${count} metrics; a message may hold ${MAX_METRICS}`;
}

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Exactly "ts" and "values": an object with another key beside them maps metrics to values. */
function isTimed(object: JsonObject): boolean {
  return "ts" in object && "values" in object && Object.keys(object).length === 2;
}
