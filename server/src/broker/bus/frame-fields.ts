const LENGTH_BYTES = 4;

/** Returns the bytes that a length-prefixed text takes. */
export function lengthOf(text: string): number {
  return 2 + Buffer.byteLength(text);
}

/** Writes the fields of one frame after its length and type. */
export class FrameWriter {
  readonly #frame: Buffer;
  #at = LENGTH_BYTES;

  /** @param length of the fields, in bytes */
  constructor(type: number, length: number) {
    this.#frame = Buffer.allocUnsafe(LENGTH_BYTES + 1 + length);
    this.uint32At(0, 1 + length);
    this.byte(type);
  }

  byte(value: number): this {
    this.#frame[this.#at++] = value;
    return this;
  }

  uint16(value: number): this {
    return this.byte(value >>> 8).byte(value);
  }

  uint32(value: number): this {
    this.uint32At(this.#at, value);
    this.#at += 4;
    return this;
  }

  uint48(value: number): this {
    this.#frame.writeUIntBE(value, this.#at, 6);
    this.#at += 6;
    return this;
  }

  text(value: string): this {
    const written = this.#frame.write(value, this.#at + 2);
    this.uint16(written);
    this.#at += written;
    return this;
  }

  bytes(value: Buffer): this {
    value.copy(this.#frame, this.#at);
    this.#at += value.length;
    return this;
  }

  done(): Buffer {
    return this.#frame;
  }

  private uint32At(at: number, value: number): void {
    this.#frame.writeUInt32BE(value, at);
  }
}

/** Reads the fields of one frame in order. Every method throws an Error if the frame is too short. */
export class FrameCursor {
  readonly #frame: Buffer;
  #at: number;

  constructor(frame: Buffer, at: number) {
    this.#frame = frame;
    this.#at = at;
  }

  byte(): number {
    return this.#frame[this.#take(1)]!;
  }

  uint16(): number {
    return this.#frame.readUInt16BE(this.#take(2));
  }

  uint32(): number {
    return this.#frame.readUInt32BE(this.#take(4));
  }

  uint48(): number {
    return this.#frame.readUIntBE(this.#take(6), 6);
  }

  text(): string {
    const length = this.uint16();
    const start = this.#take(length);
    return this.#frame.toString("utf8", start, start + length);
  }

  /** Reads a field with another reader. */
  with<T>(read: (at: number, frame: Buffer) => { value: T; at: number }): T {
    const { value, at } = read(this.#at, this.#frame);
    this.#at = at;
    return value;
  }

  /** Returns the remaining bytes, which share the frame's memory. */
  rest(): Buffer {
    return this.#frame.subarray(this.#at);
  }

  #take(bytes: number): number {
    const start = this.#at;
    if (start + bytes > this.#frame.length) throw new Error("a frame is too short");
    this.#at += bytes;
    return start;
  }
}

/** The maximum length of a frame. No message is that long, so a longer frame is garbage. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** Splits the bytes of one connection into frames. A frame that arrives in many chunks is copied only once. */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The bytes needed before the next frame is whole. */
  #needed = 0;

  /**
   * Calls `onFrame` with each whole frame, without its length. @throws {Error} if one is too long, and whatever
   * `onFrame` throws
   */
  feed(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let at = 0;
    let end = endOf(bytes, at);
    while (end <= bytes.length) {
      onFrame(bytes.subarray(at + LENGTH_BYTES, end));
      at = end;
      end = endOf(bytes, at);
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#bytes = bytes.length - at;
    this.#needed = end - at;
  }
}

/** Returns where the frame that begins at `at` ends, or its header if that has not arrived whole. */
function endOf(bytes: Buffer, at: number): number {
  if (bytes.length - at < LENGTH_BYTES) return at + LENGTH_BYTES;
  const length = bytes.readUInt32BE(at);
  if (length === 0 || length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
  return at + LENGTH_BYTES + length;
}
