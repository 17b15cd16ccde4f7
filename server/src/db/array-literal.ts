/**
 * PostgreSQL array literals by hand, cast from text in the statement: drivers write the elements of an array one by one
 * through a general converter, which would cost more than all the rest of storing a message.
 */

const NEEDS_ESCAPE = /["\\]/;
const ESCAPES = /["\\]/g;

/** Elements that need no quotes: numbers, booleans, UUIDs; `undefined` is NULL. */
export function plainArray(elements: readonly (number | boolean | string | undefined)[]): string {
  return `{${elements.map((element) => (element === undefined ? "NULL" : String(element))).join(",")}}`;
}

/** Any text that contains no NUL character; `undefined` is NULL. */
export function textArray(elements: readonly (string | undefined)[]): string {
  return `{${elements.map(textElement).join(",")}}`;
}

/** Bytes, for a cast to `bytea[]`. */
export function bytesArray(elements: readonly Uint8Array[]): string {
  return `{${elements.map((bytes) => `"\\\\x${Buffer.from(bytes).toString("hex")}"`).join(",")}}`;
}

function textElement(text: string | undefined): string {
  if (text === undefined) return "NULL";
  return `"${NEEDS_ESCAPE.test(text) ? text.replace(ESCAPES, "\\$&") : text}"`;
}
