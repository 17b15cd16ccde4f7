/**
 * PostgreSQL array literals as text, to be cast in the statement (`$1::text::uuid[]`). The drivers convert an array
 * element by element in a generic way, which costs more than all other work of storing a message.
 */

const NEEDS_ESCAPE = /["\\]/;
const ESCAPES = /["\\]/g;

/** Returns the literal of elements that need no quotes: numbers, booleans, UUIDs. `undefined` is NULL. */
export function plainArray(elements: readonly (number | boolean | string | undefined)[]): string {
  return `{${elements.map((element) => (element === undefined ? "NULL" : String(element))).join(",")}}`;
}

/** Returns the literal of text elements without NUL characters. `undefined` is NULL. */
export function textArray(elements: readonly (string | undefined)[]): string {
  return `{${elements.map(textElement).join(",")}}`;
}

/** Returns the literal of byte strings, for a cast to `bytea[]`. `undefined` is NULL. */
export function bytesArray(elements: readonly (Uint8Array | undefined)[]): string {
  return `{${elements.map((bytes) => (bytes === undefined ? "NULL" : `"\\\\x${hexOf(bytes)}"`)).join(",")}}`;
}

/** Returns the bytes in hexadecimal, without copying them. */
function hexOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("hex");
}

function textElement(text: string | undefined): string {
  if (text === undefined) return "NULL";
  return `"${NEEDS_ESCAPE.test(text) ? text.replace(ESCAPES, "\\$&") : text}"`;
}
