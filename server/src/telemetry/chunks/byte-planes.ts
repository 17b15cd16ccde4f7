import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { ByteReader, ByteWriter } from "./bytes.ts";

/** Planes with fewer bytes are not worth a compression frame of their own. */
const LEAST_COMPRESSED = 24;
const PLAIN = 0;
const ONE_VALUE = 1;
const ZSTD = 2;

/**
 * Writes bytes as they are, as one repeated value, or compressed, whichever is shortest.
 *
 * @param isFast skips compression, because opening a frame takes longer than reading a few hundred bytes
 */
export function writePacked(out: ByteWriter, bytes: Uint8Array, isFast = false): void {
  if (bytes.length > 0 && bytes.every((byte) => byte === bytes[0])) {
    out.byte(ONE_VALUE);
    out.byte(bytes[0]!);
    return;
  }
  const packed = isFast || bytes.length < LEAST_COMPRESSED ? bytes : zstdCompressSync(bytes);
  const isShorter = packed.length < bytes.length;
  out.byte(isShorter ? ZSTD : PLAIN);
  out.bytes(isShorter ? packed : bytes);
}

/**
 * Reads bytes from {@link writePacked}.
 *
 * @param length the number of bytes written; ignored unless they all had one value
 */
export function readPacked(from: ByteReader, length: number): Uint8Array {
  const kind = from.byte();
  if (kind === ONE_VALUE) return new Uint8Array(Math.max(length, 1)).fill(from.byte());
  const bytes = from.bytes();
  return kind === ZSTD ? zstdDecompressSync(bytes) : bytes;
}

/**
 * Writes whole numbers from 0 to 2^53 - 1 as byte planes: the lowest byte of every number first.
 *
 * @param width the number of bytes of the largest number
 * @param isFast see {@link writePacked}
 */
export function writePlanes(out: ByteWriter, numbers: Float64Array, width: number, isFast: boolean): void {
  const plane = new Uint8Array(numbers.length);
  const rest = numbers.slice();
  for (let byte = 0; byte < width; byte++) {
    for (let at = 0; at < rest.length; at++) {
      const number = rest[at]!;
      const high = Math.floor(number / 256);
      plane[at] = number - high * 256;
      rest[at] = high;
    }
    writePacked(out, plane, isFast);
  }
}

export function readPlanes(from: ByteReader, count: number, width: number): Float64Array {
  const numbers = new Float64Array(count);
  let weight = 1;
  for (let byte = 0; byte < width; byte++, weight *= 256) {
    const plane = readPacked(from, count);
    for (let at = 0; at < count; at++) numbers[at]! += plane[at]! * weight;
  }
  return numbers;
}

const DOUBLE_BYTES = 8;

/** Writes the bits of doubles unchanged, as byte planes. */
export function writeDoubles(out: ByteWriter, numbers: Float64Array, isFast: boolean): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const plane = new Uint8Array(numbers.length);
  for (let byte = 0; byte < DOUBLE_BYTES; byte++) {
    for (let at = 0; at < plane.length; at++) plane[at] = bytes[at * DOUBLE_BYTES + byte]!;
    writePacked(out, plane, isFast);
  }
}

export function readDoubles(from: ByteReader, count: number): Float64Array {
  const bytes = new Uint8Array(count * DOUBLE_BYTES);
  for (let byte = 0; byte < DOUBLE_BYTES; byte++) {
    const plane = readPacked(from, count);
    for (let at = 0; at < count; at++) bytes[at * DOUBLE_BYTES + byte] = plane[at]!;
  }
  return new Float64Array(bytes.buffer);
}
