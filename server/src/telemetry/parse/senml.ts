import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { kindOf, type MetricValue, quoted, type Reading, readingAt, valueProblem } from "../reading.ts";
import { appendValue, readingNow } from "./append-value.ts";
import type { Into } from "./problems.ts";
import { at, invalid, type ReadingChecks, type Rejection } from "./rejection.ts";

/** RFC 8428 4.4: the supported version. Records of a later version must not be processed. */
const VERSION = 10;
/** RFC 8428 4.5.3: smaller times are relative to now. */
const ABSOLUTE_FROM = 2 ** 28;
/** RFC 8428 4.5.1: a name with its base name prepended. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9\-:./_]{0,127}$/;

/** The current base fields. Each applies from its record on (RFC 8428 4.1). */
interface Base {
  name: string;
  time: number;
  value: number;
}

/** The types of the fields that apply to the records that follow, and of those that do not. */
const BASE_NUMBERS = ["bt", "bv", "bs", "bver"];
const BASE_STRINGS = ["bn", "bu"];
const NUMBERS = ["t", "ut", "v", "s"];
const STRINGS = ["n", "u", "vs", "vd"];
const KNOWN = new Set([...BASE_NUMBERS, ...BASE_STRINGS, ...NUMBERS, ...STRINGS, "vb"]);

/**
 * Reads a SenML pack (RFC 8428, JSON), with one reading for consecutive records of the same time. Units, update times
 * and sums beside a value are ignored. Data values (`vd`) and sums without a value are not telemetry. A record at fault
 * is a problem; a fault that concerns other records, too, rejects the pack.
 *
 * @returns the problem of the whole pack, or `undefined` if there is none
 */
export function readSenml(
  records: Iterable<unknown>,
  checks: ReadingChecks,
  { readings, problems }: Into,
): Rejection | undefined {
  const base: Base = { name: "", time: 0, value: 0 };
  let index = -1;
  for (const record of records) {
    index++;
    const place = `SenML record ${index + 1}: `;
    if (isObject(record)) {
      const refused = packProblem(record);
      if (refused !== undefined) return invalid(place + refused);
    }
    const problem = isObject(record) ? readRecord(record, base, checks, readings) : `is ${kindOf(record)}`;
    if (typeof problem === "string") problems.add([index], place + problem);
    else if (problem !== undefined) return at(place, problem);
    if (problems.areTooMany) return problems.rejection();
  }
  return readings.length === 0 && problems.count === 0 ? invalid("the SenML pack contains no values") : undefined;
}

/** @returns a problem of the record, or a rejection of the whole pack */
function readRecord(
  record: JsonObject,
  base: Base,
  checks: ReadingChecks,
  into: Reading[],
): string | Rejection | undefined {
  base.name = (record.bn as string | undefined) ?? base.name;
  base.time = (record.bt as number | undefined) ?? base.time;
  base.value = (record.bv as number | undefined) ?? base.value;
  if (isBaseOnly(record)) return undefined;
  const malformed = typeProblem(record, NUMBERS, STRINGS);
  if (malformed !== undefined) return malformed;

  const name = base.name + ((record.n as string | undefined) ?? "");
  if (!NAME.test(name))
    return `the name ${quoted(name)} is not 1 to 128 of A-Z a-z 0-9 - : . / _, the first alphanumeric`;
  const value = singleValue(record, base);
  const problem = value === undefined ? noSingleValue(record) : valueProblem(name, value);
  if (problem !== undefined) return problem;
  const time = base.time + ((record.t as number | undefined) ?? 0);
  return appendValue(into, checks, readingFor(time, checks.nowMs), name, value as MetricValue);
}

/** Returns a problem of a record that concerns the whole pack (RFC 8428 4.1, 4.4). */
function packProblem(record: JsonObject): string | undefined {
  for (const key of Object.keys(record)) {
    if (!KNOWN.has(key) && key.endsWith("_")) return `the field ${quoted(key)} must be understood, but is unknown`;
  }
  const malformed = typeProblem(record, BASE_NUMBERS, BASE_STRINGS);
  if (malformed !== undefined || record.bver === undefined || isReadable(record.bver)) return malformed;
  return `version ${record.bver} is not known; ${VERSION} is the newest`;
}

function typeProblem(record: JsonObject, numbers: readonly string[], strings: readonly string[]): string | undefined {
  for (const key of numbers) {
    const value = record[key];
    if (value !== undefined && !Number.isFinite(value))
      return `"${key}" is ${kindOf(value)}; a finite number is expected`;
  }
  for (const key of strings) {
    const value = record[key];
    if (value !== undefined && typeof value !== "string") return `"${key}" is ${kindOf(value)}; a string is expected`;
  }
  if (strings === STRINGS && record.vb !== undefined && typeof record.vb !== "boolean")
    return `"vb" is ${kindOf(record.vb)}; true or false is expected`;
  return undefined;
}

function isReadable(version: unknown): boolean {
  return Number.isInteger(version) && (version as number) >= 1 && (version as number) <= VERSION;
}

/** Recognizes a record that only sets base fields; gateways send one first. */
function isBaseOnly(record: JsonObject): boolean {
  return ["n", "t", "v", "vs", "vb", "vd", "s"].every((key) => record[key] === undefined);
}

/** Returns the only value of a record. The base value is added to numbers only. */
function singleValue(record: JsonObject, base: Base): MetricValue | undefined {
  const { v, vs, vb, vd } = record;
  if ([v, vs, vb, vd].filter((value) => value !== undefined).length !== 1) return undefined;
  return v === undefined ? ((vs ?? vb) as MetricValue | undefined) : (v as number) + base.value;
}

function noSingleValue({ v, vs, vb, vd, s }: JsonObject): string {
  const values = [v, vs, vb, vd].filter((value) => value !== undefined).length;
  if (values > 1) return "there is more than one value";
  if (vd !== undefined) return "data values (vd) are not supported";
  return s === undefined ? "there is no value" : "a sum without a value is not supported";
}

/**
 * Returns a reading at the SenML time `seconds`. 0 means now: the server's clock is used, as for a message without a
 * time.
 */
function readingFor(seconds: number, nowMs: number): Reading {
  if (seconds === 0) return readingNow();
  const fromNow = seconds < ABSOLUTE_FROM ? nowMs * 1000 : 0;
  return readingAt(fromNow + Math.round(seconds * 1e6), nowMs);
}
