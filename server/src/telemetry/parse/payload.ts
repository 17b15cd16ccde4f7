import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject } from "../../lib/json-object.ts";
import { ingest } from "../../lib/limits/ingest.ts";
import { kindOf, MAX_METRICS, MAX_PAYLOAD_BYTES, quoted, type Reading, readingAt } from "../reading.ts";
import { type Place, readValues } from "./flatten.ts";
import { type Into, Problems } from "./problems.ts";
import { invalid, type ReadingChecks, type Rejection, tooManyMetrics, tooManyReadings } from "./rejection.ts";
import { readSenml } from "./senml.ts";

export type { MetricValue, Reading } from "../reading.ts";

/**
 * The readings of a message in its order, with the fields that are not among them (`undefined`: all are); or the reason
 * why nothing is stored.
 */
export type ParsedPayload = { readings: Reading[]; rejected: Rejection | undefined };

/**
 * Parses a telemetry payload: `{metric: value, …}` (server time), `{"ts": ms, "values": {…}}`, an array of the latter,
 * or a SenML array (RFC 8428). Valid fields become readings, the others problems (docs/spec-decisions.md). Never
 * throws.
 */
export function parsePayload(
  payload: Uint8Array,
  nowMs: number,
  maxReadings: number = ingest.readingsPerMessage.value,
): ParsedPayload {
  const document = readJson(payload);
  if (document instanceof Refused) return nothing(document.rejection);
  const problems = new Problems();
  const readings: Reading[] = [];
  const rejection = readDocument(document, { nowMs, maxReadings }, { readings, problems });
  if (rejection !== undefined) return nothing(rejection);
  if (problems.count > 0) return { readings, rejected: problems.rejection() };
  return { readings, rejected: undefined };
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

function readJson(payload: Uint8Array): unknown {
  if (payload.length === 0) return new Refused(invalid("the payload is empty"));
  if (payload.length > MAX_PAYLOAD_BYTES) {
    const reason = `the payload has ${payload.length} bytes; at most ${MAX_PAYLOAD_BYTES} are allowed`;
    return new Refused({ cause: "payload_bytes", reason });
  }
  if (!isUtf8(payload)) return new Refused(invalid("the payload is not valid UTF-8"));
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8"));
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
  return readInto(document, [], { time: undefined, timeReplaced: false, metrics: [], values: [] }, into);
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
 * Recognizes a reading with its time: "ts" beside an object of "values". Any other object maps metrics to values,
 * unless it has exactly these two keys.
 */
function isTimed(object: JsonObject): boolean {
  if (!("ts" in object && "values" in object)) return false;
  return isObject(object.values) || Object.keys(object).length === 2;
}
