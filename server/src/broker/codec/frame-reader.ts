import type { Frame } from "./cursor.ts";
import { freeMemory } from "./packet-memory.ts";
import { checkFirstByte, checkSender, PACKET_TYPE } from "./packet-types.ts";
import { PacketProblem } from "./problem.ts";

const NOTHING = Buffer.alloc(0);
/** The bytes reserved initially for an incomplete packet. */
const FIRST_BYTES = 16 * 1024;

/**
 * Splits a connection's bytes into packets; it is itself the frame of the packet that {@link next} found last. A
 * packet's type, flags and length are checked as soon as its header has arrived, so a packet that is too long is never
 * buffered. The outcome does not depend on how the bytes are split into chunks. A packet that does not arrive whole is
 * collected in memory of its own with exactly its length.
 */
export class FrameReader implements Frame {
  first = 0;
  bytes: Buffer = NOTHING;
  bodyStart = 0;
  end = 0;
  /** The maximum length of a packet, in bytes. */
  maxPacket: number;
  /** Whether a CONNECT was found: the first packet must be one [MQTT-3.1.0-1], and no other may be [MQTT-3.1.0-2]. */
  connected = false;
  /** The offset at which the frame begins. */
  #start = 0;
  /**
   * The beginning of an incomplete packet, in memory with room for more; its bytes so far, and its length (0 is no
   * packet).
   */
  #packet: Buffer = NOTHING;
  #collected = 0;
  #needed = 0;
  /** The bytes that arrived behind a collected packet. */
  #behind: Buffer = NOTHING;

  constructor(maxPacket: number) {
    this.maxPacket = maxPacket;
  }

  /** Whether bytes wait, of a complete packet or not. */
  get hasBytes(): boolean {
    return this.end < this.bytes.length || this.#behind.length > 0 || this.#needed > 0;
  }

  /** The length of a packet that has partly arrived; 0 if there is none. */
  get incomplete(): number {
    return this.#needed;
  }

  /** The length of the frame, with its header. */
  get length(): number {
    return this.end - this.#start;
  }

  /** @param chunk the bytes that have arrived; the reader owns their memory from now on */
  feed(chunk: Buffer): void {
    if (this.#needed > 0) this.#collect(chunk);
    else if (this.#behind.length > 0) this.#behind = Buffer.concat([this.#behind, chunk]);
    else this.#append(chunk);
  }

  /** Moves to the next packet. @returns false if it is incomplete @throws {PacketProblem} if it is malformed */
  next(): boolean {
    if (this.#needed > 0) return false;
    if (this.end >= this.bytes.length) this.#startOn(this.#behind);
    const at = this.end;
    const { bytes } = this;
    if (bytes.length === 0) return false;
    const end = this.#header(at);
    if (end === undefined) return false;
    if (end > bytes.length) {
      this.#startCollecting(at, end - at);
      return false;
    }
    this.#start = at;
    this.first = bytes[at]!;
    this.end = end;
    if (this.first >> 4 === PACKET_TYPE.connect) this.connected = true;
    return true;
  }

  /** Once everything is read, the memory of `bytes` may have been freed and must not be touched. */
  #append(chunk: Buffer): void {
    const isRead = this.end >= this.bytes.length;
    this.#startOn(isRead ? chunk : Buffer.concat([this.bytes.subarray(this.end), chunk]));
  }

  #startOn(bytes: Buffer): void {
    this.bytes = bytes;
    this.#behind = NOTHING;
    this.#start = 0;
    this.end = 0;
  }

  /** Checks the fixed header at `at`. @returns where its packet ends; undefined while the header is incomplete */
  #header(at: number): number | undefined {
    const { bytes } = this;
    const first = bytes[at]!;
    if (first >> 4 === PACKET_TYPE.connect ? this.connected : !this.connected) {
      throw new PacketProblem(this.connected ? "a second CONNECT" : "no CONNECT first", "protocol_error");
    }
    checkFirstByte(first);
    let length = 0;
    for (let i = 0; i < 4; i++) {
      if (at + 1 + i >= bytes.length) return undefined;
      const byte = bytes[at + 1 + i]!;
      length += (byte & 127) * 128 ** i;
      if (byte >= 128) continue;
      checkSender(first, length);
      this.bodyStart = at + 2 + i;
      const end = this.bodyStart + length;
      if (end - at > this.maxPacket) throw new PacketProblem("a long packet", "packet_too_large");
      return end;
    }
    // Nothing after it can be parsed. Other brokers close silently, too.
    throw new PacketProblem("a malformed length", "unanswered");
  }

  /** Copies the beginning of an incomplete packet: a slice would keep the whole chunk in memory. */
  #startCollecting(at: number, needed: number): void {
    const beginning = this.bytes.subarray(at);
    this.#needed = needed;
    this.#collected = 0;
    this.#packet = NOTHING;
    this.#put(beginning);
    this.#startOn(NOTHING);
  }

  #collect(chunk: Buffer): void {
    const missing = this.#needed - this.#collected;
    this.#put(chunk.subarray(0, missing));
    if (chunk.length <= missing) freeMemory(chunk, chunk.length);
    if (this.#collected < this.#needed) return;
    this.#startOn(this.#packet);
    this.#needed = 0;
    this.#packet = NOTHING;
    if (chunk.length > missing) this.#behind = chunk.subarray(missing);
  }

  /** Appends bytes. The memory grows with their number: a header alone takes no more than {@link FIRST_BYTES}. */
  #put(bytes: Buffer): void {
    const collected = this.#collected + bytes.length;
    if (collected > this.#packet.length) {
      const whole = this.#packet;
      const size = Math.min(this.#needed, Math.max(FIRST_BYTES, 2 * collected));
      // For a few hundred bytes, a separate allocation costs more than its content.
      this.#packet = size < FIRST_BYTES / 8 ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
      whole.copy(this.#packet, 0, 0, this.#collected);
      freeMemory(whole, whole.length);
    }
    bytes.copy(this.#packet, this.#collected);
    this.#collected = collected;
  }
}
