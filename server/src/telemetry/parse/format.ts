import type { PayloadFormat, PayloadSettings } from "../../devices/devices.ts";
import { type JsonPointer, parseJsonPointer } from "../../lib/json/json-pointer.ts";

/** A value that is taken from a certain place of a document. */
export interface Extracted {
  metric: string;
  /** The JSON Pointer as a person wrote it, and its tokens. */
  text: string;
  pointer: JsonPointer;
}

/** The way in which payloads of a device type are read. */
export interface Format {
  payloadFormat: PayloadFormat;
  /** The only values that are read; empty to read all. */
  extraction: readonly Extracted[];
  /** The factors by which numbers are multiplied, by metric; undefined without any. */
  factors: ReadonlyMap<string, number> | undefined;
}

/** The format of devices whose type has no settings. */
export const AUTOMATIC: Format = { payloadFormat: "auto", extraction: [], factors: undefined };

/** Prepares checked settings of a device type for the parser. */
export function formatOf({ payloadFormat, metrics }: PayloadSettings): Format {
  const extraction = metrics.flatMap(({ metric, pointer }) =>
    pointer === undefined ? [] : { metric, text: pointer, pointer: parseJsonPointer(pointer) ?? [] },
  );
  const factors = new Map(metrics.flatMap(({ metric, factor }) => (factor === undefined ? [] : [[metric, factor]])));
  if (payloadFormat === "auto" && extraction.length === 0 && factors.size === 0) return AUTOMATIC;
  return { payloadFormat, extraction, factors: factors.size > 0 ? factors : undefined };
}
