/**
 * PostgreSQL arrays in binary format, for a parameter of the array type itself (`$1::float8[]`): neither side writes or
 * parses a digit. The drivers send a Buffer unchanged. `undefined` is NULL.
 */

const INT4 = 23;
const FLOAT8 = 701;
const TIMESTAMPTZ = 1184;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
/** The microseconds from 1970 to 2000, the epoch of PostgreSQL. */
const EPOCH = 946_684_800_000_000;
const HIGH = 2 ** 32;

/** Returns an `int4[]`. */
export function int4Array(numbers: readonly (number | undefined)[]): Buffer {
  return arrayOf(INT4, 4, numbers, (buffer, number, at) => buffer.writeInt32BE(number, at));
}

/** Returns a `float8[]`. */
export function float8Array(numbers: readonly (number | undefined)[]): Buffer {
  return arrayOf(FLOAT8, 8, numbers, (buffer, number, at) => buffer.writeDoubleBE(number, at));
}

/** Returns a `timestamptz[]` of whole microseconds since 1970. */
export function timestampArray(times: readonly (number | undefined)[]): Buffer {
  return arrayOf(TIMESTAMPTZ, 8, times, (buffer, time, at) => {
    const high = Math.floor((time - EPOCH) / HIGH);
    buffer.writeInt32BE(high, at);
    buffer.writeUInt32BE(time - EPOCH - high * HIGH, at + 4);
  });
}

/** Returns an array with one dimension and lower bound 1, or with none if it is empty. */
function arrayOf<T>(
  type: number,
  bytes: number,
  elements: readonly (T | undefined)[],
  write: (buffer: Buffer, element: T, at: number) => void,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + elements.length * (LENGTH_BYTES + bytes));
  let hasNull = 0;
  let at = HEADER_BYTES;
  for (const element of elements) {
    if (element === undefined) hasNull = 1;
    else write(buffer, element, at + LENGTH_BYTES);
    at = buffer.writeInt32BE(element === undefined ? NULL_LENGTH : bytes, at);
    if (element !== undefined) at += bytes;
  }
  buffer.writeInt32BE(elements.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(hasNull, 4);
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(elements.length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer.subarray(0, elements.length === 0 ? 12 : at);
}
