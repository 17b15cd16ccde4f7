import { isUtf8 } from "node:buffer";
import { ingest } from "../../lib/limits/ingest.ts";
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
import { at, invalid, type ReadingChecks, type Rejection, tooManyMetrics, tooManyReadings } from "./rejection.ts";
import { readSenml } from "./senml.ts";

export type { MetricValue, Reading } from "../reading.ts";

/** The readings of a message in its order, or the reason for its rejection. */
export type ParsedPayload = { readings: Reading[] } | Rejection;

/**
 * Parses a telemetry payload: `{metric: value, …}` (server time), `{"ts": ms, "values": {…}}`, an array of the latter,
 * or a SenML array (RFC 8428). One bad value rejects the whole message (docs/spec-decisions.md). Never throws.
 */
export function parsePayload(
  payload: Uint8Array,
  nowMs: number,
  maxReadings: number = ingest.readingsPerMessage.value,
): ParsedPayload {
  if (payload.length === 0) return invalid("the payload is empty");
  if (payload.length > MAX_PAYLOAD_BYTES) {
    const reason = `the payload has ${payload.length} bytes; at most ${MAX_PAYLOAD_BYTES} are allowed`;
    return { cause: "payload_bytes", reason };
  }
  if (!isUtf8(payload)) return invalid("the payload is not valid UTF-8");
  const document = parseJson(payload);
  if (document === undefined) return invalid("the payload is not valid JSON");
  const readings: Reading[] = [];
  return readDocument(document, { nowMs, maxReadings }, readings) ?? { readings };
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Reads a document. Like every function below, appends to `into` and returns the problem, or `undefined` if there is
 * none.
 */
function readDocument(document: unknown, checks: ReadingChecks, into: Reading[]): Rejection | undefined {
  if (Array.isArray(document)) return readArray(document, checks, into);
  if (!isObject(document)) return invalid(`the payload is ${kindOf(document)}; an object or an array is expected`);
  if (isTimed(document)) return readTimed(document, checks.nowMs, into);
  const reading: Reading = { time: undefined, timeReplaced: false, metrics: [], values: [] };
  into.push(reading);
  return readMetrics(document, reading);
}

function readArray(records: unknown[], checks: ReadingChecks, into: Reading[]): Rejection | undefined {
  if (records.length === 0) return invalid("the array is empty");
  const [first] = records;
  const problem =
    isObject(first) && "values" in first ? readBuffered(records, checks, into) : readSenml(records, checks, into);
  return problem ?? checkMetrics(into);
}

function readBuffered(records: unknown[], checks: ReadingChecks, into: Reading[]): Rejection | undefined {
  // Checked before any record is read, so that such a message costs next to nothing.
  if (records.length > checks.maxReadings) return tooManyReadings(records.length, checks);
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (!isObject(record) || !isTimed(record)) {
      return invalid(`record ${index + 1} does not contain exactly "ts" and "values"`);
    }
    const problem = readTimed(record, checks.nowMs, into);
    if (problem !== undefined) return at(`record ${index + 1}: `, problem);
  }
  return undefined;
}

function readTimed(record: JsonObject, nowMs: number, into: Reading[]): Rejection | undefined {
  const { ts, values } = record;
  if (typeof ts !== "number" || !Number.isInteger(ts)) {
    return invalid(`"ts" is ${kindOf(ts)}; whole milliseconds since 1970 are expected`);
  }
  if (!isObject(values)) return invalid(`"values" is ${kindOf(values)}; an object is expected`);
  const reading = readingAt(ts * 1000, nowMs);
  into.push(reading);
  return readMetrics(values, reading);
}

function readMetrics(values: JsonObject, into: Reading): Rejection | undefined {
  const names = Object.keys(values);
  if (names.length === 0) return invalid("there are no values");
  if (names.length > MAX_METRICS) return tooManyMetrics(names.length);
  for (const name of names) {
    const value = values[name];
    const problem = nameProblem(name) ?? valueProblem(name, value);
    if (problem !== undefined) return invalid(problem);
    into.values.push(value as MetricValue);
  }
  into.metrics = names;
  return undefined;
}

/** Checks the limit against the distinct metrics of a message, because buffered data repeats them. */
function checkMetrics(readings: Reading[]): Rejection | undefined {
  const names = new Set<string>();
  for (const { metrics } of readings) for (const metric of metrics) names.add(metric);
  return names.size > MAX_METRICS ? tooManyMetrics(names.size) : undefined;
}

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks for exactly "ts" and "values". An object with any other key maps metrics to values. */
function isTimed(object: JsonObject): boolean {
  return "ts" in object && "values" in object && Object.keys(object).length === 2;
}
