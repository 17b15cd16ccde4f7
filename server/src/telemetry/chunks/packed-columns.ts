/**
 * Columns of rows that PostgreSQL packs into one value (`string_agg(float8send(…), '')`). Neither side formats or
 * parses digits, and no object is allocated per row.
 */

const LONG_BYTES = 8;
const SHORT_BYTES = 2;
const LENGTH_BYTES = 4;
/**
 * The header that `array_send` writes: dimensions, NULL flag, type, and the length and first index of the only
 * dimension.
 */
const ARRAY_HEADER_BYTES = 20;
const ARRAY_LENGTH_AT = 12;
/** Microseconds from 1970 to the PostgreSQL epoch, 2000. */
const EPOCH = 946_684_800_000_000;
const HIGH = 2 ** 32;

/** Unpacks values of `int8send`. */
export function longsOf(packed: Buffer): Float64Array {
  const values = new Float64Array(packed.length / LONG_BYTES);
  for (let at = 0; at < values.length; at++) {
    values[at] = packed.readInt32BE(at * LONG_BYTES) * HIGH + packed.readUInt32BE(at * LONG_BYTES + LENGTH_BYTES);
  }
  return values;
}

/** Unpacks values of `timestamptz_send` as microseconds since 1970. */
export function timesOf(packed: Buffer): Float64Array {
  const times = longsOf(packed);
  for (let at = 0; at < times.length; at++) times[at]! += EPOCH;
  return times;
}

/** Unpacks values of `int2send`. */
export function shortsOf(packed: Buffer): Int16Array {
  const values = new Int16Array(packed.length / SHORT_BYTES);
  for (let at = 0; at < values.length; at++) values[at] = packed.readInt16BE(at * SHORT_BYTES);
  return values;
}

/** Unpacks values of `float8send`. */
export function doublesOf(packed: Buffer): Float64Array {
  const values = new Float64Array(packed.length / LONG_BYTES);
  for (let at = 0; at < values.length; at++) values[at] = packed.readDoubleBE(at * LONG_BYTES);
  return values;
}

/** Unpacks values of `array_send` of equally long `float8[]` into one column per position. */
export function doubleColumnsOf(packed: Buffer, rows: number): Float64Array[] {
  const columns = packed.length === 0 ? 0 : packed.readInt32BE(ARRAY_LENGTH_AT);
  const values = Array.from({ length: columns }, () => new Float64Array(rows));
  let from = 0;
  for (let row = 0; row < rows && columns > 0; row++) {
    from += ARRAY_HEADER_BYTES;
    for (const column of values) {
      column[row] = packed.readDoubleBE(from + LENGTH_BYTES);
      from += LENGTH_BYTES + LONG_BYTES;
    }
  }
  return values;
}

/** Unpacks values of `array_send` of equally long `text[]` into one column per position. */
export function textColumnsOf(packed: Buffer, rows: number): string[][] {
  const columns = packed.length === 0 ? 0 : packed.readInt32BE(ARRAY_LENGTH_AT);
  const values: string[][] = Array.from({ length: columns }, () => []);
  let from = 0;
  for (let row = 0; row < rows && columns > 0; row++) {
    from += ARRAY_HEADER_BYTES;
    for (const column of values) {
      const length = packed.readInt32BE(from);
      from += LENGTH_BYTES + length;
      column.push(packed.toString("utf8", from - length, from));
    }
  }
  return values;
}
