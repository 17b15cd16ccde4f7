import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { UniqueQueue } from "../../lib/collections/unique-queue.ts";
import type { CountedResponse } from "./counted-response.ts";
import type { PacedReading } from "./pace-reading.ts";

/** A request that has been parsed. */
export interface Parsed {
  readonly request: IncomingMessage;
  readonly response: CountedResponse;
}

/** A request whose handler has been called. */
export interface UnderWay extends Parsed {
  readonly connection: GatedConnection;
  /** The address block that pays for it while it has not authenticated. */
  readonly payer: string;
  /** It no longer counts as under way: a live stream, which has limits of its own. */
  isReleased: boolean;
}

/** Requests that a connection may send without credentials after one that had them, while its block's budget is spent. */
const CREDIT = 100;

let reads = 0;

/** The connections of one address block. */
export class GatedBlock {
  readonly connections = new Set<GatedConnection>();
  /** Connections whose next request is due: those that have authenticated, and the others. */
  readonly known = new UniqueQueue<GatedConnection>();
  readonly unknown = new UniqueQueue<GatedConnection>();
  readonly name: string;
  underWay = 0;
  unsentBytes = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Of the connections with unsent bytes, the one whose client has read nothing for longest. */
  slowest(): GatedConnection | undefined {
    let slowest: GatedConnection | undefined;
    for (const each of this.connections)
      if (each.unsentBytes > 0 && (slowest === undefined || each.lastRead < slowest.lastRead)) slowest = each;
    return slowest;
  }
}

/** A connection with its requests. */
export class GatedConnection {
  readonly socket: TLSSocket;
  readonly block: GatedBlock;
  /** Addresses that many clients share: the connection is never closed for what one of them did. */
  readonly isShared: boolean;
  readonly waiting: Parsed[] = [];
  readonly underWay = new Set<UnderWay>();
  reading: PacedReading = { flow: () => undefined, waitingBytes: () => 0 };
  /** Bytes in memory for it: answers that are not sent, and requests that are not parsed. */
  unsentBytes = 0;
  /** When its client last read, by a count that each such moment advances. */
  lastRead = 0;
  isClosed = false;
  #credit = 0;

  constructor(socket: TLSSocket, block: GatedBlock, isShared: boolean) {
    this.socket = socket;
    this.block = block;
    this.isShared = isShared;
  }

  /** Requests that were parsed and are not answered. */
  get unanswered(): number {
    return this.waiting.length + this.underWay.size;
  }

  /** Whether a request with credentials came on it lately. */
  get isKnown(): boolean {
    return this.#credit > 0;
  }

  authenticated(): void {
    this.#credit = CREDIT;
  }

  /** A request begins. */
  begun(): void {
    if (this.#credit > 0) this.#credit--;
  }

  /** Recounts the bytes that were answered and not sent, and those that wait for the parser. @returns how many bytes more than before */
  countUnsent(): number {
    const before = this.unsentBytes;
    this.unsentBytes = 0;
    if (!this.isClosed) {
      this.unsentBytes = this.reading.waitingBytes();
      for (const { response } of this.underWay) this.unsentBytes += response.writableLength;
    }
    if (this.unsentBytes < before || before === 0) this.lastRead = ++reads;
    return this.unsentBytes - before;
  }
}
