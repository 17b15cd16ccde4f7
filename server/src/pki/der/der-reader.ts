/**
 * A strict DER reader (X.690 section 10): definite and minimal lengths, single-byte tags, no trailing bytes. Elements
 * are views of the bytes that they were read from; nothing is copied.
 *
 * It replaces asn1js and @peculiar/asn1-schema, which accept BER and take longer to read a CSR than its signature takes
 * to verify (docs/decisions/0003-own-der-for-certificates.md).
 */

/** Bytes that are not DER, or not of the expected structure. The message is a sentence that callers may see. */
export class DerError extends Error {
  override readonly name = "DerError";
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Returns the tag of `[number]`, constructed (explicit, or implicit over a constructed type) or primitive. */
export function contextTag(number: number, constructed = true): number {
  return (constructed ? 0xa0 : 0x80) | number;
}

/** One element (tag, length, value) of `bytes`. */
export class DerElement {
  readonly bytes: Buffer;
  readonly tag: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;

  constructor(bytes: Buffer, tag: number, start: number, contentStart: number, end: number) {
    this.bytes = bytes;
    this.tag = tag;
    this.start = start;
    this.contentStart = contentStart;
    this.end = end;
  }

  get length(): number {
    return this.end - this.contentStart;
  }

  /** Returns the value alone. */
  content(): Buffer {
    return this.bytes.subarray(this.contentStart, this.end);
  }

  /** Returns tag, length and value. */
  whole(): Buffer {
    return this.bytes.subarray(this.start, this.end);
  }

  /** Returns a reader over the value. */
  enter(): DerReader {
    return new DerReader(this.bytes, this.contentStart, this.end);
  }

  /** Returns whether the value is exactly `expected`. */
  hasContent(expected: Buffer): boolean {
    return this.length === expected.length && this.content().equals(expected);
  }
}

/** Reads the elements of a range of `bytes` one after the other. */
export class DerReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Whether anything is left to read. */
  get more(): boolean {
    return this.#at < this.#end;
  }

  /** The tag of the next element, or -1 at the end. */
  get tag(): number {
    return this.more ? this.#bytes[this.#at]! : -1;
  }

  /** Reads the next element, whatever its tag. Throws {@link DerError} when it is cut off or not minimal DER. */
  next(): DerElement {
    const start = this.#at;
    if (this.#end - start < 2) throw new DerError("The DER ends in the middle of an element.");
    const tag = this.#bytes[start]!;
    if (tag === 0 || (tag & 0x1f) === 0x1f) throw new DerError("The DER uses a tag that is not allowed.");
    const contentStart = start + 1 + this.#lengthOctets(start + 1);
    const end = contentStart + this.#lengthAt(start + 1);
    if (end > this.#end) throw new DerError("The DER contains a length that goes beyond its end.");
    this.#at = end;
    return new DerElement(this.#bytes, tag, start, contentStart, end);
  }

  /** Reads the next element, which must have `tag`; `what` names it in the error message. */
  read(tag: number, what: string): DerElement {
    if (this.tag !== tag) throw new DerError(`The ${what} is missing or of the wrong type.`);
    return this.next();
  }

  /** Throws if anything is left to read. */
  finish(what: string): void {
    if (this.more) throw new DerError(`The ${what} contains more than it should.`);
  }

  #lengthOctets(at: number): number {
    const first = this.#bytes[at]!;
    if (first < 0x80) return 1;
    if (first === 0x80) throw new DerError("The DER uses an indefinite length.");
    const octets = first & 0x7f;
    if (octets > 3) throw new DerError("The DER contains a length that is too large.");
    if (at + octets >= this.#end) throw new DerError("The DER ends in the middle of a length.");
    return 1 + octets;
  }

  #lengthAt(at: number): number {
    const first = this.#bytes[at]!;
    if (first < 0x80) return first;
    const octets = first & 0x7f;
    const length = this.#bytes.readUIntBE(at + 1, octets);
    if (length < 0x80 || length < 2 ** (8 * (octets - 1)))
      throw new DerError("The DER contains a length that is not minimal.");
    return length;
  }
}
