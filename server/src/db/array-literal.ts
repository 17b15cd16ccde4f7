/**
 * Array literals of PostgreSQL as text, to be cast in the statement (`$1::text::uuid[]`). The drivers convert an array element by
 * element in a general way, which costs more than everything else that storing a message takes.
 */

const NEEDS_ESCAPE = /["\\]/;
const ESCAPES = /["\\]/g;

/** Of elements that need no quotes: numbers, booleans, UUIDs. `undefined` is NULL. */
export function plainArray(elements: readonly (number | boolean | string | undefined)[]): string {
  return `{${elements.map((element) => (element === undefined ? "NULL" : String(element))).join(",")}}`;
}

/** Of text without NUL characters. `undefined` is NULL. */
export function textArray(elements: readonly (string | undefined)[]): string {
  return `{${elements.map(textElement).join(",")}}`;
}

/** Of bytes, for a cast to `bytea[]`. `undefined` is NULL. */
export function bytesArray(elements: readonly (Uint8Array | undefined)[]): string {
  return `{${elements.map((bytes) => (bytes === undefined ? "NULL" : `"\\\\x${hexOf(bytes)}"`)).join(",")}}`;
}

/** Without a copy of the bytes. */
function hexOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("hex");
}

function textElement(text: string | undefined): string {
  if (text === undefined) return "NULL";
  return `"${NEEDS_ESCAPE.test(text) ? text.replace(ESCAPES, "\\$&") : text}"`;
}
