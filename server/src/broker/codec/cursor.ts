import type { ProtocolProblem } from "../policy/answers.ts";
import { PacketProblem } from "./problem.ts";
import { checkText } from "./utf8.ts";

/** A whole packet: its first byte, and the position of its body in `bytes`. */
export interface Frame {
  readonly first: number;
  readonly bytes: Buffer;
  readonly bodyStart: number;
  readonly end: number;
}

/** Reads the fields of a packet's body in order. Every method throws {@link PacketProblem} if the body is too short. */
export class Cursor {
  #bytes: Buffer;
  #end: number;
  at: number;

  constructor({ bytes, bodyStart, end }: Frame) {
    this.#bytes = bytes;
    this.#end = end;
    this.at = bodyStart;
  }

  /** Whether the whole body has been read. */
  get isAtEnd(): boolean {
    return this.at === this.#end;
  }

  byte(): number {
    this.#require(1);
    return this.#bytes[this.at++]!;
  }

  uint16(): number {
    this.#require(2);
    const value = (this.#bytes[this.at]! << 8) | this.#bytes[this.at + 1]!;
    this.at += 2;
    return value;
  }

  uint32(): number {
    return this.uint16() * 0x10000 + this.uint16();
  }

  /** Reads a variable byte integer, which must use as few bytes as possible (MQTT 5, [MQTT-1.5.5-1]). */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 128 ** 3; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte >= 128) continue;
      if (byte === 0 && factor > 1) throw new PacketProblem("a length that is longer than necessary");
      return value;
    }
    throw new PacketProblem("a malformed length");
  }

  /** Reads a packet id ([MQTT-2.3.1-1], MQTT 5: [MQTT-2.2.1-3]). @param problem the answer to packet id 0 */
  packetId(problem?: ProtocolProblem): number {
    const id = this.uint16();
    if (id === 0) throw new PacketProblem("packet id 0", problem);
    return id;
  }

  /** Reads a UTF-8 string (1.5.3). @param max bytes @param tooLong the answer to a longer string */
  text(max: number, what: string, tooLong?: ProtocolProblem): string {
    const start = this.#field(max, what, tooLong);
    checkText(this.#bytes, start, this.at, what);
    return this.#bytes.toString("utf8", start, this.at);
  }

  /**
   * Reads length-prefixed bytes, which share the packet's memory. @param max bytes @param tooLong the answer to more
   * bytes
   */
  binary(max: number, what: string, tooLong?: ProtocolProblem): Buffer {
    const start = this.#field(max, what, tooLong);
    return this.#bytes.subarray(start, this.at);
  }

  /** Returns the length prefix of the next field without reading it; 0 if there is none. */
  nextLength(): number {
    return this.at + 2 <= this.#end ? this.#bytes.readUInt16BE(this.at) : 0;
  }

  /** Returns where a part of this length ends. */
  endOf(length: number): number {
    this.#require(length);
    return this.at + length;
  }

  /** Moves past a length-prefixed field. @returns where its content starts */
  #field(max: number, what: string, tooLong?: ProtocolProblem): number {
    const length = this.uint16();
    if (length > max) throw new PacketProblem(`a long ${what}`, tooLong);
    this.#require(length);
    this.at += length;
    return this.at - length;
  }

  #require(bytes: number): void {
    if (this.at + bytes > this.#end) throw new PacketProblem("a short packet");
  }
}
