import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";

/** A device's metadata: an object defined by the tenant and stored unchanged (docs/spec-decisions.md, devices). */
export type Metadata = Record<string, unknown>;

export const MAX_METADATA_BYTES = records.metadataBytes.value;
export const MAX_METADATA_KEYS = records.metadataFields.value;
export const MAX_METADATA_DEPTH = records.metadataDepth.value;

/**
 * @param metadata parsed JSON without NUL and half surrogate pairs
 * @throws MusterError invalid_request when it is too large, has too many fields, is nested too deeply, or contains a
 * number that JSON can express and a double cannot
 */
export function checkMetadata(metadata: Metadata): Metadata {
  if (Object.keys(metadata).length > MAX_METADATA_KEYS) throw refused(`has more than ${MAX_METADATA_KEYS} fields`);
  checkNested(metadata, 1);
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw refused(`is longer than ${MAX_METADATA_BYTES} bytes of JSON`);
  }
  return metadata;
}

/** Applies a JSON merge patch (RFC 7396) to metadata. */
export function mergeMetadata(target: Metadata, patch: Metadata): Metadata {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (isObject(value)) merged.set(name, mergeMetadata(objectOr(merged.get(name)), value));
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Metadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOr(value: unknown): Metadata {
  return isObject(value) ? value : {};
}

function checkNested(value: unknown, depth: number): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw refused("contains a number that is too large");
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_METADATA_DEPTH) throw refused(`is nested more than ${MAX_METADATA_DEPTH} deep`);
  for (const inner of Object.values(value)) checkNested(inner, depth + 1);
}

function refused(what: string) {
  return invalidRequest(`metadata ${what}`, "metadata");
}
