const FIRST_SIZE = 1_024;
const LOW_BITS = 128;

/** A growing byte buffer. Whole numbers of up to 53 bits are written as varints with seven bits per byte. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** @param value 0 or more */
  count(value: number): void {
    let rest = value;
    for (; rest >= LOW_BITS; rest = Math.floor(rest / LOW_BITS)) this.byte((rest % LOW_BITS) + LOW_BITS);
    this.byte(rest);
  }

  /** Writes a whole number that may be negative. */
  whole(value: number): void {
    this.byte(value < 0 ? 1 : 0);
    this.count(Math.abs(value));
  }

  /** Writes bytes with a length prefix. */
  bytes(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  written(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.written());
    this.#buffer = larger;
  }
}

/** Reads values in the order in which a {@link ByteWriter} wrote them. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws Error at the end of the data */
  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new Error("a chunk ends too early");
    return value;
  }

  count(): number {
    let value = 0;
    for (let weight = 1; ; weight *= LOW_BITS) {
      const byte = this.byte();
      value += (byte % LOW_BITS) * weight;
      if (byte < LOW_BITS) return value;
    }
  }

  whole(): number {
    const isNegative = this.byte() === 1;
    return isNegative ? -this.count() : this.count();
  }

  /** Returns a view, not a copy. */
  bytes(): Uint8Array {
    const length = this.count();
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new Error("a chunk ends too early");
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
