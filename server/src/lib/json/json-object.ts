/** A parsed JSON object. */
export type JsonObject = Record<string, unknown>;

/** Checks for a JSON object, which is neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
