import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { UniqueQueue } from "../../lib/collections/unique-queue.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { CountedResponse } from "./counted-response.ts";
import type { PacedReading } from "./pace-reading.ts";

export type ReadingLimits = Pick<
  Limits,
  "httpsRequestsOfConnection" | "httpsUnauthenticatedRequestsOfConnection" | "httpsUnsentBytesOfConnection"
>;

/** A parsed request. */
export interface Parsed {
  readonly request: IncomingMessage;
  readonly response: CountedResponse;
}

/** A request whose handler has been called. */
export interface UnderWay extends Parsed {
  readonly connection: GatedConnection;
  /** The address block that is charged while it has not authenticated. */
  readonly payer: string;
  /** When the handler was called, in milliseconds of the monotonic clock. */
  readonly since: number;
  /** Whether it no longer counts as in progress: it is answered, or a live stream, which has limits of its own. */
  isReleased: boolean;
}

/** The number of requests for which a connection counts as authenticated after its last request with credentials. */
const CREDIT = 100;

let reads = 0;

/** The connections of one address block. */
export class GatedBlock {
  readonly connections = new Set<GatedConnection>();
  /** The connections whose next request is due: authenticated ones, and the others. */
  readonly known = new UniqueQueue<GatedConnection>();
  readonly unknown = new UniqueQueue<GatedConnection>();
  /** The unauthenticated connections that may be sent more of a large answer. */
  readonly writing = new UniqueQueue<GatedConnection>();
  readonly name: string;
  underWay = 0;
  bufferedBytes = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Returns the connection with buffered bytes that has read nothing for the longest time. */
  slowest(): GatedConnection | undefined {
    let slowest: GatedConnection | undefined;
    for (const each of this.connections)
      if (each.bufferedBytes > 0 && (slowest === undefined || each.lastRead < slowest.lastRead)) slowest = each;
    return slowest;
  }
}

/** A connection with its requests. */
export class GatedConnection {
  readonly socket: TLSSocket;
  readonly block: GatedBlock;
  /** Whether many clients share the address: the connection is then never closed for the behaviour of one of them. */
  readonly isShared: boolean;
  readonly waiting: Parsed[] = [];
  readonly underWay = new Set<UnderWay>();
  /** Continues the large answers whose client has read all that was written. */
  readonly drained: (() => void)[] = [];
  reading: PacedReading = { flow: () => undefined, waitingBytes: () => 0 };
  /** The bytes of its unsent answers and unparsed requests. */
  bufferedBytes = 0;
  /** When its client last read, on a counter that each such read advances. */
  lastRead = 0;
  isClosed = false;
  #credit = 0;

  constructor(socket: TLSSocket, block: GatedBlock, isShared: boolean) {
    this.socket = socket;
    this.block = block;
    this.isShared = isShared;
  }

  /**
   * Reports whether it may be read. An unauthenticated client has fewer requests parsed ahead: each occupies 10 KB
   * until it is answered. One would be too few: a body is read while its request is in progress.
   */
  mayRead(limits: ReadingLimits): boolean {
    const parsed = this.waiting.length + this.underWay.size;
    const { httpsRequestsOfConnection: known, httpsUnauthenticatedRequestsOfConnection: unknown } = limits;
    const isReady = parsed < (this.isKnown ? known : unknown);
    return isReady && !this.isClosed && this.bufferedBytes < limits.httpsUnsentBytesOfConnection;
  }

  /** Reports whether it recently carried a request with credentials. */
  get isKnown(): boolean {
    return this.#credit > 0;
  }

  authenticated(): void {
    this.#credit = CREDIT;
  }

  /** Records the start of a request. */
  begun(): void {
    if (this.#credit > 0) this.#credit--;
  }

  /** Recounts the bytes of unsent answers and unparsed requests. @returns the increase in bytes */
  countBuffered(): number {
    const before = this.bufferedBytes;
    this.bufferedBytes = 0;
    if (!this.isClosed) {
      this.bufferedBytes = this.reading.waitingBytes();
      for (const { response } of this.underWay) this.bufferedBytes += response.writableLength;
    }
    if (this.bufferedBytes < before || before === 0) this.lastRead = ++reads;
    return this.bufferedBytes - before;
  }
}
