import { checkBody, checkFirstByte, PACKET_TYPE, PacketProblem, unsettledBytes } from "./packet-rules.ts";
import type { Qos2Window } from "./qos2-window.ts";
import type { SessionBudget } from "./session-budget.ts";

/** Whole packets that passed the checks, byte for byte as they arrived. */
export interface CheckedPackets {
  bytes: Buffer;
  /** How many of them the client's rate limit counts: all but acknowledgements. */
  messages: number;
  /** What the PUBLISH packets among them count against the budgets of unsettled messages. */
  unsettledBytes: number;
  /** Whether the last one is a CONNECT; what follows it is left for the next call. */
  connect: boolean;
  /** Whether the last one is a DISCONNECT. */
  disconnect: boolean;
}

interface Header {
  first: number;
  bodyStart: number;
  end: number;
}

const ACKNOWLEDGEMENTS: ReadonlySet<number> = new Set([
  PACKET_TYPE.puback,
  PACKET_TYPE.pubrec,
  PACKET_TYPE.pubrel,
  PACKET_TYPE.pubcomp,
]);

/**
 * Stands between the socket and the engine's parser, and passes on only whole packets that keep the rules. A packet's length is
 * checked as soon as its header has arrived, so a packet that is too long is never buffered; the pieces of a packet are joined once.
 */
export class PacketGate {
  #rest: Buffer | undefined;
  #pieces: Buffer[] = [];
  #collected = 0;
  #needed = 0;
  /** Whether a CONNECT has passed. */
  connected = false;
  #maxPacket: number;
  readonly #window: Qos2Window;

  constructor(maxPacket: number, window: Qos2Window) {
    this.#maxPacket = maxPacket;
    this.#window = window;
  }

  /** The client has authenticated: its packets may be longer from now on, and what is held back counts in its budget. */
  accept(maxPacket: number, budget: Pick<SessionBudget, "defer" | "undefer">): void {
    this.#maxPacket = maxPacket;
    this.#window.countIn(budget);
  }

  /** Whether bytes are waiting, of a packet that is complete or not. */
  get hasBytes(): boolean {
    return this.#rest !== undefined || this.#pieces.length > 0 || this.#window.hasNext;
  }

  feed(chunk: Buffer): void {
    if (this.#needed === 0) {
      this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
      return;
    }
    this.#pieces.push(chunk);
    this.#collected += chunk.length;
    if (this.#collected < this.#needed) return;
    this.#rest = Buffer.concat(this.#pieces, this.#collected);
    this.#pieces = [];
    this.#needed = 0;
  }

  /**
   * The next whole packets, at most `max` that the rate limit counts; undefined while none is complete.
   *
   * @throws PacketProblem for a forbidden packet, once the packets before it have been returned
   */
  next(max: number): CheckedPackets | undefined {
    const released = this.#window.next();
    if (released) {
      return {
        bytes: released,
        messages: 1,
        unsettledBytes: unsettledBytes(released.length),
        connect: false,
        disconnect: false,
      };
    }
    const rest = this.#rest;
    if (rest === undefined) return undefined;
    const passed = { messages: 0, unsettledBytes: 0, connect: false, disconnect: false };
    let [from, at] = [0, 0];
    let to: number | undefined;
    try {
      while (to === undefined && at < rest.length && passed.messages < max && !passed.connect && !passed.disconnect) {
        const header = this.#header(rest, at);
        if (header === undefined || header.end > rest.length) {
          if (header) this.#collect(rest, at, header.end - at);
          break;
        }
        checkBody(header.first, rest, header.bodyStart, header.end);
        if (!this.#mustWait(header, rest, at)) this.#count(header.first >> 4, header.end - at, passed);
        else if (at > from) to = at;
        else from = header.end;
        at = header.end;
      }
    } catch (problem) {
      if (at === from) throw problem;
    }
    if (this.#needed === 0) this.#rest = at < rest.length ? rest.subarray(at) : undefined;
    if (at === from) return undefined;
    return { ...passed, bytes: rest.subarray(from, to ?? at) };
  }

  /** Counts QoS 2 messages and their releases. @returns whether the packet at `at` must wait and is kept until it may pass */
  #mustWait({ first, bodyStart, end }: Header, bytes: Buffer, at: number): boolean {
    if (first >> 4 === PACKET_TYPE.pubrel) this.#window.release(bytes.readUInt16BE(bodyStart));
    if (first >> 4 !== PACKET_TYPE.publish || (first & 6) !== 4) return false;
    const id = bytes.readUInt16BE(bodyStart + 2 + bytes.readUInt16BE(bodyStart));
    if (this.#window.admit(id, end - at)) return false;
    // A copy: a slice would keep the whole chunk in memory.
    this.#window.keep(id, Buffer.from(bytes.subarray(at, end)));
    return true;
  }

  #count(type: number, bytes: number, passed: Omit<CheckedPackets, "bytes">): void {
    if (!ACKNOWLEDGEMENTS.has(type)) passed.messages++;
    if (type === PACKET_TYPE.publish) passed.unsettledBytes += unsettledBytes(bytes);
    if (type === PACKET_TYPE.connect) {
      this.connected = true;
      passed.connect = true;
    }
    if (type === PACKET_TYPE.disconnect) passed.disconnect = true;
  }

  /** Checks the fixed header at `at`, its length included; undefined while it is incomplete. */
  #header(bytes: Buffer, at: number): Header | undefined {
    const first = bytes[at]!;
    if (first >> 4 === PACKET_TYPE.connect ? this.connected : !this.connected) {
      throw new PacketProblem(this.connected ? "a second CONNECT" : "no CONNECT first");
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

  #collect(rest: Buffer, at: number, needed: number): void {
    // A copy: a slice would keep the whole chunk in memory.
    this.#pieces = [Buffer.from(rest.subarray(at))];
    this.#collected = rest.length - at;
    this.#needed = needed;
    this.#rest = undefined;
  }
}
