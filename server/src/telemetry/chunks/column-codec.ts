import { readDoubles, readPlanes, writeDoubles, writePlanes } from "./byte-planes.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

/**
 * The powers of ten that are tried as a common factor, as sensor values and clock times usually have one. Numbers
 * without one are written as doubles.
 */
const EXPONENTS = [6, 3, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9];
/** Whole numbers below this limit have exact first and second differences. */
const MOST = 2 ** 49;
const AS_DOUBLES = 255;

/**
 * Encodes any numbers, including -0, infinities and NaN (only one NaN bit pattern survives).
 *
 * @param isFast favors decoding speed over size, for columns with few numbers
 */
export function encodeColumn(values: Float64Array, isFast = false): Uint8Array {
  const out = new ByteWriter();
  const scaled = scale(values);
  if (scaled === undefined) {
    out.byte(AS_DOUBLES);
    writeDoubles(out, values, isFast);
    return out.written();
  }
  const { order, starts, rest } = smallest(scaled.wholes);
  const least = rest.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
  let greatest = 0;
  for (let at = 0; at < rest.length; at++) {
    rest[at]! -= least;
    greatest = Math.max(greatest, rest[at]!);
  }
  const width = Math.ceil(Math.log2(greatest + 1) / 8);
  out.byte(EXPONENTS.indexOf(scaled.exponent));
  out.byte(order);
  out.byte(width);
  for (const start of starts) out.whole(start);
  if (rest.length > 0) out.whole(least);
  writePlanes(out, rest, width, isFast);
  return out.written();
}

/**
 * Decodes a column.
 *
 * @param count the number of encoded values
 */
export function decodeColumn(bytes: Uint8Array, count: number): Float64Array {
  const from = new ByteReader(bytes);
  const place = from.byte();
  if (place === AS_DOUBLES) return readDoubles(from, count);
  const [order, width] = [from.byte(), from.byte()];
  const starts = Array.from({ length: Math.min(order, count) }, () => from.whole());
  const least = count > order ? from.whole() : 0;
  const rest = readPlanes(from, Math.max(count - order, 0), width);
  const wholes = new Float64Array(count);
  let [last, step] = [starts[0] ?? 0, starts[1] ?? 0];
  for (let at = 0; at < count; at++) {
    const given = at < order ? 0 : rest[at - order]! + least;
    if (order === 2 && at > 1) step += given;
    if (order === 0) last = given;
    else if (at > 0) last += order === 1 ? given : step;
    wholes[at] = last;
  }
  return unscale(wholes, EXPONENTS[place]!);
}

/** Finds the largest power of ten that divides all values, and their multiples of it. */
function scale(values: Float64Array): { exponent: number; wholes: Float64Array } | undefined {
  const wholes = new Float64Array(values.length);
  for (const exponent of EXPONENTS) {
    const power = 10 ** Math.abs(exponent);
    let at = 0;
    for (; at < values.length; at++) {
      const value = values[at]!;
      const whole = Math.round(exponent > 0 ? value / power : value * power);
      const back = exponent > 0 ? whole * power : whole / power;
      if (back !== value || whole >= MOST || whole <= -MOST || Object.is(value, -0)) break;
      wholes[at] = whole + 0;
    }
    if (at === values.length) return { exponent, wholes };
  }
  return undefined;
}

function unscale(wholes: Float64Array, exponent: number): Float64Array {
  const power = 10 ** Math.abs(exponent);
  if (exponent > 0) for (let at = 0; at < wholes.length; at++) wholes[at]! *= power;
  else if (exponent < 0) for (let at = 0; at < wholes.length; at++) wholes[at]! /= power;
  return wholes;
}

interface Differences {
  /** The number of times that differences were taken. */
  order: number;
  /** The first values of each order, `order` of them. */
  starts: number[];
  rest: Float64Array;
}

/** Chooses the numbers, their first or their second differences, whichever vary least. */
function smallest(wholes: Float64Array): Differences {
  const differences = differencesOf(wholes);
  const candidates: Differences[] = [
    { order: 0, starts: [], rest: wholes },
    { order: 1, starts: [...wholes.subarray(0, 1)], rest: differences },
    { order: 2, starts: [...wholes.subarray(0, 1), ...differences.subarray(0, 1)], rest: differencesOf(differences) },
  ];
  const spreads = candidates.map(({ rest }) => spreadOf(rest));
  return candidates[spreads.indexOf(Math.min(...spreads))]!;
}

function differencesOf(wholes: Float64Array): Float64Array {
  const differences = new Float64Array(Math.max(wholes.length - 1, 0));
  for (let at = 0; at < differences.length; at++) differences[at] = wholes[at + 1]! - wholes[at]!;
  return differences;
}

/** Returns the mean absolute deviation. */
function spreadOf(numbers: Float64Array): number {
  if (numbers.length === 0) return 0;
  let sum = 0;
  for (const number of numbers) sum += number;
  const mean = sum / numbers.length;
  let spread = 0;
  for (const number of numbers) spread += Math.abs(number - mean);
  return spread / numbers.length;
}
