/**
 * Arrays of PostgreSQL in its binary format, for a parameter of the array type itself (`$1::float8[]`): neither side writes or parses a
 * digit. The drivers send a Buffer as it is.
 */

const FLOAT8 = 701;
const TIMESTAMPTZ = 1184;
const HEADER_BYTES = 20;
/** A length of four bytes before eight of the value. */
const ELEMENT_BYTES = 12;
/** Microseconds from 1970 to 2000, from which PostgreSQL counts. */
const EPOCH = 946_684_800_000_000;
const HIGH = 2 ** 32;

/** `float8[]` without NULLs. */
export function float8Array(numbers: readonly number[]): Buffer {
  const buffer = arrayOf(FLOAT8, numbers.length);
  let at = HEADER_BYTES;
  for (const number of numbers) {
    buffer.writeInt32BE(8, at);
    buffer.writeDoubleBE(number, at + 4);
    at += ELEMENT_BYTES;
  }
  return buffer;
}

/** `timestamptz[]` without NULLs, of microseconds since 1970. */
export function timestampArray(times: readonly number[]): Buffer {
  const buffer = arrayOf(TIMESTAMPTZ, times.length);
  let at = HEADER_BYTES;
  for (const time of times) {
    const since = time - EPOCH;
    const high = Math.floor(since / HIGH);
    buffer.writeInt32BE(8, at);
    buffer.writeInt32BE(high, at + 4);
    buffer.writeUInt32BE(since - high * HIGH, at + 8);
    at += ELEMENT_BYTES;
  }
  return buffer;
}

/** An array with one dimension that begins at 1, or none when it is empty; the elements are still to be written. */
function arrayOf(type: number, length: number): Buffer {
  if (length === 0) {
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(type, 8);
    return empty;
  }
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + length * ELEMENT_BYTES);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(0, 4);
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}
