/**
 * Writes DER (X.690 section 10): equal parts always give equal bytes. Every leaf passes here, so it stays a few
 * functions.
 */
import { TAG } from "./der-reader.ts";

/** Encodes one DER element: `tag`, the minimal definite length (X.690 10.1), and the joined parts as its value. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const octets = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
  const element = Buffer.allocUnsafe(2 + octets + length);
  element[0] = tag;
  element[1] = octets === 0 ? length : 0x80 | octets;
  if (octets > 0) element.writeUIntBE(length, 2, octets);
  let at = 2 + octets;
  for (const part of parts) {
    copyInto(element, part, at);
    at += part.length;
  }
  return element;
}

/** The length up to which a loop is faster than `set`, which leaves JavaScript's compiled code. */
const SHORT = 48;

function copyInto(element: Buffer, part: Uint8Array, at: number): void {
  if (part.length > SHORT) element.set(part, at);
  else for (let i = 0; i < part.length; i++) element[at + i] = part[i]!;
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, ...parts);
}

/** Encodes a SET OF with its members in DER order (X.690 11.6). */
export function setOf(...members: readonly Buffer[]): Buffer {
  return der(TAG.set, ...[...members].sort(Buffer.compare));
}

/** Encodes a non-negative INTEGER from its big-endian magnitude. */
export function unsignedInteger(magnitude: Uint8Array): Buffer {
  let from = 0;
  while (from < magnitude.length - 1 && magnitude[from] === 0) from++;
  const digits = magnitude.subarray(from);
  return (digits[0] ?? 0) >= 0x80 ? der(TAG.integer, Buffer.of(0), digits) : der(TAG.integer, digits);
}

/** Encodes a small non-negative INTEGER. */
export function smallInteger(value: number): Buffer {
  const magnitude = Buffer.alloc(4);
  magnitude.writeUInt32BE(value);
  return unsignedInteger(magnitude);
}

export function octetString(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.octetString, ...parts);
}

/** Encodes a BIT STRING of whole octets. */
export function bitString(bytes: Uint8Array): Buffer {
  return der(TAG.bitString, Buffer.of(0), bytes);
}

/**
 * Encodes a BIT STRING of named bits (X.690 11.2.2), without trailing zero bits. `bits` are bit numbers; 0 is the
 * highest.
 */
export function namedBits(...bits: readonly number[]): Buffer {
  const last = Math.max(...bits);
  const octets = Buffer.alloc((last >> 3) + 1);
  for (const bit of bits) octets[bit >> 3]! |= 0x80 >> (bit & 7);
  return der(TAG.bitString, Buffer.of(7 - (last & 7)), octets);
}

/** Encodes an OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split(".").map(Number) as [number, number, ...number[]];
  return der(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function utf8String(text: string): Buffer {
  return der(TAG.utf8String, Buffer.from(text, "utf8"));
}

export function printableString(text: string): Buffer {
  return der(TAG.printableString, Buffer.from(text, "ascii"));
}

/**
 * Encodes a certificate time: UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 4.1.2.5). Fractions of a second
 * are cut.
 */
export function time(at: Date): Buffer {
  const iso = at.toISOString();
  const digits = `${iso.slice(2, 4)}${iso.slice(5, 7)}${iso.slice(8, 10)}${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
  return at.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(digits, "latin1"))
    : der(TAG.generalizedTime, Buffer.from(iso.slice(0, 2) + digits, "latin1"));
}

export const TRUE = der(TAG.boolean, Buffer.of(0xff));
export const NULL = der(TAG.null);

function base128(value: number): number[] {
  const octets = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) octets.unshift(0x80 | (left % 128));
  return octets;
}
