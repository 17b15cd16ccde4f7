/** The number of arrays and maps that may be inside each other. */
const MAX_DEPTH = 8;
/**
 * The number of arrays and maps. A telemetry message has no room for more records with name and value, and empty ones
 * would cost much more time than their bytes.
 */
const MAX_CONTAINERS = 25_000;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BREAK = Symbol("break");

/** Bytes that are no CBOR, or more than this reader supports. */
export class CborProblem extends Error {}

/** A decoded value. Byte strings are Uint8Arrays; a map has no prototype, and its integer keys are texts. */
export type CborValue = unknown;

/**
 * Decodes one CBOR item (RFC 8949) that fills `bytes`. Time and memory are bounded by their number: a length that
 * exceeds the rest is refused before anything is allocated.
 *
 * @throws CborProblem
 */
export function decodeCbor(bytes: Uint8Array): CborValue {
  const reader = new CborReader(bytes);
  const value = reader.item(0);
  if (value === BREAK) throw new CborProblem("a break outside an array");
  if (!reader.isAtEnd) throw new CborProblem("bytes follow the first item");
  return value;
}

class CborReader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;
  #containers = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  item(depth: number): unknown {
    const initial = this.#take(1)[0]!;
    const [major, info] = [initial >> 5, initial & 31];
    if (major === 7) return this.#simple(info);
    const length = this.#argument(info, major);
    switch (major) {
      case 0:
        return length;
      case 1:
        return -1 - length!;
      case 2:
      case 3:
        return this.#string(major, length);
      case 4:
        return this.#array(length, depth + 1);
      case 5:
        return this.#map(length, depth + 1);
      default:
        return this.#tagged(length!, depth + 1);
    }
  }

  #take(count: number): Uint8Array {
    if (count > this.#bytes.length - this.#at) throw new CborProblem("the end is missing");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Returns the argument of an item; `undefined` for an indefinite length. */
  #argument(info: number, major: number): number | undefined {
    if (info < 24) return info;
    if (info === 31 && major >= 2 && major <= 5) return undefined;
    if (info > 27) throw new CborProblem("an additional information that is reserved");
    const at = this.#at;
    this.#take(1 << (info - 24));
    if (info === 24) return this.#view.getUint8(at);
    if (info === 25) return this.#view.getUint16(at);
    return info === 26 ? this.#view.getUint32(at) : Number(this.#view.getBigUint64(at));
  }

  #string(major: number, length: number | undefined): unknown {
    const bytes = length === undefined ? this.#chunks(major) : this.#take(length);
    if (major === 2) return bytes;
    try {
      return UTF8.decode(bytes);
    } catch {
      throw new CborProblem("a text that is not UTF-8");
    }
  }

  #chunks(major: number): Uint8Array {
    const chunks: Uint8Array[] = [];
    for (let initial = this.#take(1)[0]!; initial !== 0xff; initial = this.#take(1)[0]!) {
      const length = initial >> 5 === major ? this.#argument(initial & 31, 0) : undefined;
      if (length === undefined) throw new CborProblem("a part of a string that is no string");
      chunks.push(this.#take(length));
    }
    return Buffer.concat(chunks);
  }

  #array(length: number | undefined, depth: number): unknown[] {
    this.#enter(length, depth);
    const values: unknown[] = [];
    while (values.length !== length) {
      const value = this.item(depth);
      if (value === BREAK) return this.#ended(length, values);
      values.push(value);
    }
    return values;
  }

  #map(length: number | undefined, depth: number): unknown {
    this.#enter(length, depth);
    const map: Record<string, unknown> = Object.create(null);
    for (let count = 0; count !== length; count++) {
      const key = this.item(depth);
      if (key === BREAK) return this.#ended(length, map);
      if (typeof key !== "string" && !Number.isInteger(key)) throw new CborProblem("a key that is no text or integer");
      const value = this.item(depth);
      if (value === BREAK) throw new CborProblem("a key without a value");
      map[String(key)] = value;
    }
    return map;
  }

  #enter(length: number | undefined, depth: number): void {
    if (depth > MAX_DEPTH) throw new CborProblem(`more than ${MAX_DEPTH} levels`);
    if (++this.#containers > MAX_CONTAINERS) throw new CborProblem(`more than ${MAX_CONTAINERS} arrays and maps`);
    if (length !== undefined && length > this.#bytes.length - this.#at) throw new CborProblem("the end is missing");
  }

  #ended<Value>(length: number | undefined, value: Value): Value {
    if (length !== undefined) throw new CborProblem("a break inside an item of known length");
    return value;
  }

  /** Reads a tagged item. Decimal fractions (tag 4) become numbers; other tags are ignored. */
  #tagged(tag: number, depth: number): unknown {
    this.#enter(undefined, depth);
    const value = this.item(depth);
    if (value === BREAK) throw new CborProblem("a tag without an item");
    if (tag !== 4) return value;
    const [exponent, mantissa] = Array.isArray(value) && value.length === 2 ? value : [];
    if (!Number.isInteger(exponent) || !Number.isInteger(mantissa)) throw new CborProblem("no decimal fraction");
    return Number(`${mantissa}e${exponent}`);
  }

  #simple(info: number): unknown {
    const at = this.#at;
    switch (info) {
      case 20:
      case 21:
        return info === 21;
      case 22:
        return null;
      case 23:
        return undefined;
      case 25:
        return halfFloat(this.#take(2));
      case 26:
        this.#take(4);
        return this.#view.getFloat32(at);
      case 27:
        this.#take(8);
        return this.#view.getFloat64(at);
      case 31:
        return BREAK;
      default:
        throw new CborProblem("a simple value that is not known");
    }
  }
}

/** Decodes a half-precision float (RFC 8949, appendix D). */
function halfFloat([high = 0, low = 0]: Uint8Array): number {
  const exponent = (high >> 2) & 31;
  const fraction = ((high & 3) << 8) | low;
  const sign = high & 0x80 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
