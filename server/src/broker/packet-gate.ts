import { checkBody, checkFirstByte, PacketProblem, TYPE } from "./packet-rules.ts";

/** Whole, checked packets, as they came. */
export interface Passed {
  bytes: Buffer;
  /** Of these, how many the client's rate counts: everything but acknowledgements. */
  messages: number;
  /** Whether the last one is a CONNECT; what follows it waits for the next call. */
  connect: boolean;
  /** Whether the last one is a DISCONNECT. */
  disconnect: boolean;
}

interface Header {
  first: number;
  bodyStart: number;
  end: number;
}

const ACKNOWLEDGEMENTS: ReadonlySet<number> = new Set([TYPE.puback, TYPE.pubrec, TYPE.pubrel, TYPE.pubcomp]);

/**
 * Stands between the socket and the engine's parser and lets only whole packets through that keep the rules. A length is
 * judged when its header has arrived, so nothing too long is ever gathered; the pieces of a packet are joined once.
 */
export class PacketGate {
  #rest: Buffer | undefined;
  #pieces: Buffer[] = [];
  #gathered = 0;
  #needed = 0;
  #connected = false;
  #maxPacket: number;

  constructor(maxPacket: number) {
    this.#maxPacket = maxPacket;
  }

  /** The peer has authenticated: packets may be longer from now on. */
  raise(maxPacket: number): void {
    this.#maxPacket = maxPacket;
  }

  /** Whether bytes are waiting. */
  get holds(): boolean {
    return this.#rest !== undefined || this.#pieces.length > 0;
  }

  feed(chunk: Buffer): void {
    if (this.#needed === 0) {
      this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
      return;
    }
    this.#pieces.push(chunk);
    this.#gathered += chunk.length;
    if (this.#gathered < this.#needed) return;
    this.#rest = Buffer.concat(this.#pieces, this.#gathered);
    this.#pieces = [];
    this.#needed = 0;
  }

  /**
   * Up to `max` whole packets that count; undefined while none is complete.
   *
   * @throws PacketProblem at the first packet that must not pass; those before it have been returned
   */
  take(max: number): Passed | undefined {
    const rest = this.#rest;
    if (rest === undefined) return undefined;
    const passed = { messages: 0, connect: false, disconnect: false };
    let at = 0;
    try {
      while (at < rest.length && passed.messages < max && !passed.connect && !passed.disconnect) {
        const header = this.#header(rest, at);
        if (header === undefined || header.end > rest.length) {
          if (header) this.#gather(rest, at, header.end - at);
          break;
        }
        checkBody(header.first, rest, header.bodyStart, header.end);
        this.#count(header.first >> 4, passed);
        at = header.end;
      }
    } catch (problem) {
      if (at === 0) throw problem;
    }
    if (at === 0) return undefined;
    if (this.#needed === 0) this.#rest = at < rest.length ? rest.subarray(at) : undefined;
    return { ...passed, bytes: at === rest.length ? rest : rest.subarray(0, at) };
  }

  #count(type: number, passed: { messages: number; connect: boolean; disconnect: boolean }): void {
    if (!ACKNOWLEDGEMENTS.has(type)) passed.messages++;
    if (type === TYPE.connect) {
      this.#connected = true;
      passed.connect = true;
    }
    if (type === TYPE.disconnect) passed.disconnect = true;
  }

  /** The fixed header at `at`, or undefined while it is incomplete. Its length is judged here, before any of it waits. */
  #header(bytes: Buffer, at: number): Header | undefined {
    const first = bytes[at]!;
    if (first >> 4 === TYPE.connect ? this.#connected : !this.#connected) {
      throw new PacketProblem(this.#connected ? "a second CONNECT" : "no CONNECT first");
    }
    checkFirstByte(first);
    let length = 0;
    for (let i = 0; i < 4; i++) {
      if (at + 1 + i >= bytes.length) return undefined;
      const byte = bytes[at + 1 + i]!;
      length += (byte & 127) * 128 ** i;
      if (byte < 128) {
        const end = at + 2 + i + length;
        if (end - at > this.#maxPacket) throw new PacketProblem("a long packet");
        return { first, bodyStart: at + 2 + i, end };
      }
    }
    throw new PacketProblem("a malformed length");
  }

  #gather(rest: Buffer, at: number, needed: number): void {
    // A copy, since the rest of the chunk that this is a part of would stay in memory with it.
    this.#pieces = [Buffer.from(rest.subarray(at))];
    this.#gathered = rest.length - at;
    this.#needed = needed;
    this.#rest = undefined;
  }
}
