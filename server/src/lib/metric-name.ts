import { ingest } from "./limits/ingest.ts";

const MAX_NAME_BYTES = ingest.metricNameBytes.value;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns why `name` cannot name a metric, or `undefined` if it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length === 0) return "a metric needs a name";
  if (longerThan(name, MAX_NAME_BYTES)) return `the metric name ${quoted(name)} is longer than ${MAX_NAME_BYTES} bytes`;
  if (CONTROL.test(name)) return `the metric name ${quoted(name)} contains a control character`;
  if (!name.isWellFormed()) return `the metric name ${quoted(name)} is not valid Unicode`;
  // Assigning this key in an object that maps metrics to values would set the prototype.
  if (name === "__proto__") return `a metric cannot be named ${quoted(name)}`;
  return undefined;
}

/** Formats text from a device for use in a reason: cut to 40 characters, quoted, control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * Checks whether `text` exceeds `bytes` bytes in UTF-8. Counts bytes only if the number of characters does not decide
 * it.
 */
export function longerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}
