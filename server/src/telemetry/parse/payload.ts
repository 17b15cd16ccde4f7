import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { ingest } from "../../lib/limits/ingest.ts";
import { kindOf, MAX_METRICS, MAX_PAYLOAD_BYTES, quoted, type Reading, readingAt } from "../reading.ts";
import { readingNow } from "./append-value.ts";
import { readCayenneLpp } from "./cayenne-lpp.ts";
import { readExtracted } from "./extraction.ts";
import { type Place, readValues } from "./flatten.ts";
import { AUTOMATIC, type Format } from "./format.ts";
import { type Into, Problems } from "./problems.ts";
import { invalid, type ReadingChecks, type Rejection, tooManyMetrics, tooManyReadings } from "./rejection.ts";
import { readSenml } from "./senml.ts";
import { readSenmlCbor } from "./senml-cbor.ts";
import { readTelegraf } from "./telegraf.ts";

export type { MetricValue, Reading } from "../reading.ts";

/**
 * The readings of a message in its order, with the fields that are not among them (`undefined`: all are); or the reason
 * why nothing is stored.
 */
export type ParsedPayload = { readings: Reading[]; rejected: Rejection | undefined };

/**
 * Parses a telemetry payload in the format of its device type. The automatic one knows `{metric: value, …}` (server
 * time), `{"ts": ms, "values": {…}}`, an array of the latter, and a SenML array (RFC 8428). Valid fields become
 * readings, the others problems (docs/telemetry.md). Never throws.
 */
export function parsePayload(
  payload: Uint8Array,
  nowMs: number,
  maxReadings: number = ingest.readingsPerMessage.value,
  format: Format = AUTOMATIC,
): ParsedPayload {
  const into: Into = { readings: [], problems: new Problems() };
  const rejection = sizeProblem(payload) ?? read(payload, format, { nowMs, maxReadings }, into);
  if (rejection !== undefined) return nothing(rejection);
  const { readings, problems } = into;
  if (format.factors !== undefined) multiply(readings, format.factors);
  if (problems.count > 0) return { readings, rejected: problems.rejection() };
  return { readings, rejected: undefined };
}

function sizeProblem({ length }: Uint8Array): Rejection | undefined {
  if (length === 0) return invalid("the payload is empty");
  if (length <= MAX_PAYLOAD_BYTES) return undefined;
  return {
    cause: "payload_bytes",
    reason: `the payload has ${length} bytes; at most ${MAX_PAYLOAD_BYTES} are allowed`,
  };
}

function read(payload: Uint8Array, format: Format, checks: ReadingChecks, into: Into): Rejection | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  if (format.payloadFormat === "cayenne-lpp") return readCayenneLpp(bytes, checks, into);
  if (format.payloadFormat === "senml-cbor") return readSenmlCbor(bytes, checks, into) ?? checkMetrics(into.readings);
  const document = readJson(bytes);
  if (document instanceof Refused) return document.rejection;
  if (format.payloadFormat === "telegraf") {
    return readTelegraf(document, checks, into) ?? checkMetrics(into.readings);
  }
  if (format.payloadFormat === "senml-json") {
    if (!Array.isArray(document)) return invalid(`the payload is ${kindOf(document)}; a SenML pack is an array`);
    return readSenml(document, checks, into) ?? checkMetrics(into.readings);
  }
  if (format.extraction.length > 0) return readExtracted(document, format.extraction, timeOf(document, checks), into);
  return readDocument(document, checks, into);
}

/** Returns an empty reading. Its time is `ts` if the document has one beside `values`, otherwise the server's. */
function timeOf(document: unknown, { nowMs }: ReadingChecks): Reading {
  const isOwn = isObject(document) && isTimed(document) && Number.isInteger(document.ts);
  return isOwn ? readingAt((document.ts as number) * 1000, nowMs) : readingNow();
}

/** Multiplies the numbers of these metrics. A product too large for a double becomes the largest one. */
function multiply(readings: readonly Reading[], factors: ReadonlyMap<string, number>): void {
  for (const { metrics, values } of readings) {
    for (const [index, metric] of metrics.entries()) {
      const [factor, value] = [factors.get(metric), values[index]];
      if (factor === undefined || typeof value !== "number") continue;
      values[index] = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value * factor));
    }
  }
}

function nothing(rejected: Rejection): ParsedPayload {
  return { readings: [], rejected };
}

/** A payload that is no document. */
class Refused {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    this.rejection = rejection;
  }
}

function readJson(payload: Buffer): unknown {
  if (!isUtf8(payload)) return new Refused(invalid("the payload is not valid UTF-8"));
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch {
    return new Refused(invalid("the payload is not valid JSON"));
  }
}

/**
 * Reads a document. Like every function below, appends to `into` and returns the problem of the whole message, or
 * `undefined` if there is none.
 */
function readDocument(document: unknown, checks: ReadingChecks, into: Into): Rejection | undefined {
  if (Array.isArray(document)) return readArray(document, checks, into);
  if (!isObject(document)) return invalid(`the payload is ${kindOf(document)}; an object or an array is expected`);
  if (isTimed(document)) return readTimed(document, [], checks.nowMs, into);
  return readInto(document, [], readingNow(), into);
}

function readArray(records: unknown[], checks: ReadingChecks, into: Into): Rejection | undefined {
  if (records.length === 0) return invalid("the array is empty");
  const [first] = records;
  const problem =
    isObject(first) && "values" in first ? readBuffered(records, checks, into) : readSenml(records, checks, into);
  return problem ?? checkMetrics(into.readings);
}

function readBuffered(records: unknown[], checks: ReadingChecks, into: Into): Rejection | undefined {
  // Checked before any record is read, so that such a message costs next to nothing.
  if (records.length > checks.maxReadings) return tooManyReadings(records.length, checks);
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    const isReading = isObject(record) && isTimed(record);
    if (!isReading) into.problems.add([index], `record ${index + 1} has no "ts" and "values"`);
    const rejection = isReading ? readTimed(record, [index], checks.nowMs, into) : undefined;
    if (rejection !== undefined) return rejection;
    if (into.problems.areTooMany) return into.problems.rejection();
  }
  return undefined;
}

function readTimed(record: JsonObject, place: Place, nowMs: number, into: Into): Rejection | undefined {
  const { ts, values } = record;
  for (const key of Object.keys(record)) {
    if (key === "ts" || key === "values") continue;
    if (into.problems.areTooMany) return into.problems.rejection();
    into.problems.add([...place, key], `${quoted(key)} is beside "ts" and "values"; put it into "values"`);
  }
  if (typeof ts !== "number" || !Number.isInteger(ts)) {
    into.problems.add([...place, "ts"], `"ts" is ${kindOf(ts)}; whole milliseconds since 1970 are expected`);
  } else if (!isObject(values)) {
    into.problems.add([...place, "values"], `"values" is ${kindOf(values)}; an object is expected`);
  } else return readInto(values, [...place, "values"], readingAt(ts * 1000, nowMs), into);
  return undefined;
}

function readInto(values: JsonObject, place: Place, reading: Reading, into: Into): Rejection | undefined {
  const rejection = readValues(values, place, reading, into.problems);
  if (reading.metrics.length > 0) into.readings.push(reading);
  return rejection;
}

/** Checks the limit against the distinct metrics of a message, because buffered data repeats them. */
function checkMetrics(readings: Reading[]): Rejection | undefined {
  const names = new Set<string>();
  for (const { metrics } of readings) for (const metric of metrics) names.add(metric);
  return names.size > MAX_METRICS ? tooManyMetrics(names.size) : undefined;
}

/**
 * Recognizes a reading with its time: `ts` and an object `values`. An object with exactly the keys `ts` and `values`
 * also counts. Any other object maps metrics to values.
 */
function isTimed(object: JsonObject): boolean {
  if (!("ts" in object && "values" in object)) return false;
  return isObject(object.values) || Object.keys(object).length === 2;
}
