import type { Frame } from "./cursor.ts";
import { checkFirstByte, PACKET_TYPE } from "./packet-types.ts";
import { PacketProblem } from "./problem.ts";

const NOTHING = Buffer.alloc(0);
/** Of an incomplete packet, before they are joined: each costs some hundred bytes beside its own. */
const MOST_PIECES = 64;

/**
 * Divides the bytes of a connection into packets; it is the frame of the packet that {@link next} found last. A packet's type, flags and
 * length are checked as soon as its header has arrived, so a packet that is too long is never buffered. Outcomes do not depend on how the
 * bytes are cut.
 */
export class FrameReader implements Frame {
  first = 0;
  bytes: Buffer = NOTHING;
  bodyStart = 0;
  end = 0;
  /** Of a packet, in bytes. */
  maxPacket: number;
  /** Whether a CONNECT was found: the first packet must be one [MQTT-3.1.0-1], and no other [MQTT-3.1.0-2]. */
  connected = false;
  /** Where the frame begins. */
  #start = 0;
  /** The beginning of a packet that is not complete, how much of it has arrived, and its length; 0 is none. */
  #pieces: Buffer[] = [];
  #collected = 0;
  #needed = 0;

  constructor(maxPacket: number) {
    this.maxPacket = maxPacket;
  }

  /** Whether bytes wait, of a packet that is complete or not. */
  get hasBytes(): boolean {
    return this.end < this.bytes.length || this.#needed > 0;
  }

  /** The bytes of the frame with its header. */
  get length(): number {
    return this.end - this.#start;
  }

  feed(chunk: Buffer): void {
    if (this.#needed > 0) {
      this.#collect(chunk);
      return;
    }
    const rest = this.bytes.subarray(this.end);
    this.bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#start = 0;
    this.end = 0;
  }

  /** Moves to the next packet. @returns false while it is not complete. Throws {@link PacketProblem}. */
  next(): boolean {
    const at = this.end;
    const { bytes } = this;
    if (this.#needed > 0) return false;
    if (at >= bytes.length) {
      this.bytes = NOTHING;
      this.end = 0;
      return false;
    }
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
      this.bodyStart = at + 2 + i;
      const end = this.bodyStart + length;
      if (end - at > this.maxPacket) throw new PacketProblem("a long packet", "packet_too_large");
      return end;
    }
    throw new PacketProblem("a malformed length");
  }

  /** Keeps the beginning of a packet that is not complete. A copy: a slice would keep the whole chunk in memory. */
  #startCollecting(at: number, needed: number): void {
    this.#pieces = [Buffer.from(this.bytes.subarray(at))];
    this.#collected = this.bytes.length - at;
    this.#needed = needed;
    this.bytes = NOTHING;
    this.#start = 0;
    this.end = 0;
  }

  /** The memory grows with what has arrived, and not with the number of pieces. */
  #collect(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#collected += chunk.length;
    const isComplete = this.#collected >= this.#needed;
    if (!isComplete && this.#pieces.length < MOST_PIECES) return;
    const joined = Buffer.concat(this.#pieces, this.#collected);
    this.#pieces = isComplete ? [] : [joined];
    if (!isComplete) return;
    this.bytes = joined;
    this.#needed = 0;
  }
}
