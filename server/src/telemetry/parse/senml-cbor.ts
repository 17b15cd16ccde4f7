import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { kindOf } from "../reading.ts";
import { CborProblem, decodeCbor } from "./cbor.ts";
import type { Into } from "./problems.ts";
import { invalid, type ReadingChecks, type Rejection } from "./rejection.ts";
import { readSenml } from "./senml.ts";

/** The labels of SenML in CBOR (RFC 8428, table 4), by number. */
const LABELS: Readonly<Record<string, string>> = {
  "-1": "bver",
  "-2": "bn",
  "-3": "bt",
  "-4": "bu",
  "-5": "bv",
  "-6": "bs",
  "0": "n",
  "1": "u",
  "2": "v",
  "3": "vs",
  "4": "vb",
  "5": "s",
  "6": "t",
  "7": "ut",
  "8": "vd",
};

/** Reads a SenML pack in CBOR (RFC 8428, 6). @returns the problem of the whole pack, or `undefined` */
export function readSenmlCbor(payload: Uint8Array, checks: ReadingChecks, into: Into): Rejection | undefined {
  let pack: unknown;
  try {
    pack = decodeCbor(payload);
  } catch (error) {
    if (!(error instanceof CborProblem)) throw error;
    return invalid(`the payload is not valid CBOR: ${error.message}`);
  }
  if (!Array.isArray(pack)) return invalid(`the payload is ${kindOf(pack)}; a SenML pack is an array`);
  if (pack.length === 0) return invalid("the array is empty");
  return readSenml(allWithNames(pack), checks, into);
}

/** Names the labels of one record after the other, since the reader may refuse the pack at any of them. */
function* allWithNames(records: readonly unknown[]): Generator<unknown> {
  for (const record of records) yield withNames(record);
}

/** Replaces the labels of a record by their names. */
function withNames(record: unknown): unknown {
  if (!isObject(record) || record instanceof Uint8Array) return record instanceof Uint8Array ? "bytes" : record;
  const named: JsonObject = Object.create(null);
  for (const [label, value] of Object.entries(record)) {
    const name = LABELS[label] ?? label;
    named[name] = name === "vd" && value instanceof Uint8Array ? Buffer.from(value).toString("base64url") : value;
  }
  return named;
}
