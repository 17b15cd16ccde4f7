import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { AddressRange } from "../../lib/address.ts";
import { addressBlock, isInRanges, withoutMapping } from "../../lib/address.ts";
import type { Clock } from "../../lib/clock.ts";
import { CHARGES } from "../../lib/limits/https.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { UnauthenticatedBudget } from "../../lib/limits/unauthenticated-budget.ts";
import type { OnCapReached } from "../../lib/sockets/cap-reports.ts";
import { PacedTurns } from "../../lib/time-share/paced-turns.ts";
import { BufferedBytes, type BufferLimits } from "./buffered-bytes.ts";
import { clientAddress } from "./client-address.ts";
import type { CountedResponse } from "./counted-response.ts";
import { GatedBlock, GatedConnection, type Parsed, type ReadingLimits, type UnderWay } from "./gated-connection.ts";
import { paceReading } from "./pace-reading.ts";
import { RequestTurns } from "./request-turns.ts";
import { SlowBodies } from "./slow-bodies.ts";

export type GateLimits = BufferLimits & ReadingLimits & Pick<Limits, "httpsRequestsOfAddress" | "httpsRequests">;

export interface GateOptions {
  readonly limits: GateLimits;
  readonly budget: UnauthenticatedBudget;
  /** Addresses shared by many clients: each of their connections counts as a block of its own. */
  readonly proxies: readonly AddressRange[];
  readonly onCapReached: OnCapReached;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Answers a client without credentials whose block has used up its budget. */
  refuse(parsed: Parsed, retryAfterSeconds: number): void;
  /** Answers a request whose body has not arrived in time, and closes its connection. */
  timeOut(socket: TLSSocket): void;
  /** Called when the client has shown valid credentials. */
  onAuthenticated(socket: TLSSocket): void;
  /** Handles a request. */
  handle(request: IncomingMessage, response: CountedResponse): void;
}

/**
 * The share of the event loop for unauthenticated clients, after a burst such as a few browsers that load the app. A
 * step starts a request, in about 0.1 ms, or writes a part of a large answer.
 */
const UNKNOWN_TURNS = { share: 0.2, burstMs: 200, turnMs: 1, mostSteps: 16 };

/**
 * Decides when a request starts. It limits the requests in progress per connection, address block and process, and the
 * bytes of unsent answers; clients that have not authenticated get a fifth of the event loop and are charged to their
 * block's budget. Until a request starts, its connection is not read any further.
 */
export class RequestGate {
  readonly #options: GateOptions;
  readonly #connections = new WeakMap<object, GatedConnection>();
  readonly #requests = new WeakMap<IncomingMessage, UnderWay>();
  readonly #blocks = new Map<string, GatedBlock>();
  readonly #known = new RequestTurns("known");
  readonly #unknown = new RequestTurns("unknown");
  /** Large answers to unauthenticated clients. */
  readonly #writing = new RequestTurns("writing");
  readonly #unknownTurns: PacedTurns;
  readonly #buffered: BufferedBytes;
  readonly #slowBodies: SlowBodies;
  #underWay = 0;
  #sharedCount = 0;
  #isKnownTurnPlanned = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#unknownTurns = new PacedTurns(UNKNOWN_TURNS, options.clock, () => this.#unknownStep());
    this.#buffered = new BufferedBytes(options.limits, this.#blocks, (slowest) => {
      options.onCapReached("unsent", slowest.socket.remoteAddress ?? "");
      this.#closed(slowest);
      slowest.socket.destroy();
    });
    this.#slowBodies = new SlowBodies({
      clock: options.clock,
      isFull: (block) => (block ? !this.#mayBegin(block) && this.#waitsIn(block) : !this.#hasRoom() && this.#isWaiting),
      isAuthenticated: ({ request }) => !this.#requests.has(request),
      timeOut: (late) => this.#timeOut(late),
    });
  }

  /** Takes over a connection whose handshake is done, once Node's HTTP server has it. */
  opened(socket: TLSSocket): void {
    const address = socket.remoteAddress ?? "";
    const { proxies, limits } = this.#options;
    const isShared = proxies.length > 0 && isInRanges(withoutMapping(address), proxies);
    const name = isShared ? `shared ${this.#sharedCount++}` : addressBlock(address);
    const block = this.#blocks.get(name) ?? new GatedBlock(name);
    const connection = new GatedConnection(socket, block, isShared);
    this.#blocks.set(name, block);
    block.connections.add(connection);
    this.#connections.set(socket, connection);
    const mayRead = () => connection.mayRead(limits);
    connection.reading = paceReading(socket, mayRead, () => this.#buffered.count(connection));
    socket.once("close", () => this.#closed(connection));
  }

  /** Takes a parsed request. */
  parsed(request: IncomingMessage, response: CountedResponse): void {
    const connection = this.#connections.get(request.socket);
    if (!connection || connection.isClosed) return;
    connection.waiting.push({ request, response });
    this.#planned(connection);
  }

  /** Records that the request has shown valid credentials within their limits: it costs its block nothing. */
  authenticated(request: IncomingMessage): void {
    const underWay = this.#requests.get(request);
    if (!underWay) return;
    this.#requests.delete(request);
    this.#options.budget.refund(underWay.payer, CHARGES.request);
    underWay.connection.authenticated();
    this.#options.onAuthenticated(underWay.connection.socket);
  }

  /** Records that the answer is a live stream, which has limits of its own. */
  streams(request: IncomingMessage): void {
    for (const each of this.#connections.get(request.socket)?.underWay ?? [])
      if (each.request === request) this.#release(each);
    this.#planTurns();
  }

  /** Starts the next request of a connection now if it is its turn; otherwise the request waits. */
  #planned(connection: GatedConnection): void {
    const { isKnown, isClosed, waiting, bufferedBytes } = connection;
    if (waiting.length === 0 || isClosed || bufferedBytes >= this.#options.limits.httpsUnsentBytesOfConnection) return;
    if (isKnown && this.#known.isEmpty && this.#hasRoom() && this.#mayBegin(connection.block)) {
      this.#begin(connection);
    } else {
      (isKnown ? this.#known : this.#unknown).add(connection);
      this.#planTurns();
    }
  }

  #hasRoom(): boolean {
    return this.#underWay < this.#options.limits.httpsRequests;
  }

  readonly #mayBegin = (block: GatedBlock): boolean => block.underWay < this.#options.limits.httpsRequestsOfAddress;

  #begin(connection: GatedConnection): void {
    const parsed = connection.waiting.shift()!;
    const { budget } = this.#options;
    const payer = this.#payerOf(connection, parsed.request);
    if (!connection.isKnown && budget.isSpent(payer)) {
      this.#refuse(connection, parsed, payer);
      return;
    }
    budget.charge(payer, CHARGES.request);
    connection.begun();
    this.#serve({ ...parsed, connection, payer, since: this.#options.clock.monotonicMs(), isReleased: false });
    this.#planned(connection);
  }

  #serve(underWay: UnderWay): void {
    const { connection, request, response } = underWay;
    connection.underWay.add(underWay);
    connection.block.underWay++;
    this.#underWay++;
    this.#requests.set(request, underWay);
    this.#slowBodies.begun(underWay);
    response.onComplete = () => this.#completed(underWay);
    response.onWritten = () => this.#buffered.count(connection);
    response.onDrained = (proceed) => this.#drained(underWay, proceed);
    response.once("close", () => this.#answered(underWay));
    this.#options.handle(request, response);
  }

  #answered(underWay: UnderWay): void {
    const { connection } = underWay;
    this.#release(underWay);
    if (!connection.underWay.delete(underWay)) return;
    this.#charge(underWay);
    this.#buffered.count(connection);
    connection.reading.flow();
    this.#planned(connection);
    this.#planTurns();
  }

  /** Records that only the client delays the end of an answer; its bytes have limits of their own. */
  #completed(underWay: UnderWay): void {
    this.#release(underWay);
    this.#planTurns();
  }

  /** Charges the answer of a request that has not authenticated. */
  #charge({ request, response, payer }: UnderWay): void {
    if (!this.#requests.delete(request)) return;
    const { statusCode, bodyBytes } = response;
    const isRefused = statusCode >= 400 && statusCode < 500;
    this.#options.budget.charge(payer, (isRefused ? CHARGES.refusal : 0) + Math.floor(bodyBytes / CHARGES.bytes));
  }

  /** Writes more of a large answer: now if the client has authenticated, otherwise when it is the client's turn. */
  #drained({ request, connection }: UnderWay, proceed: () => void): void {
    if (connection.isKnown || !this.#requests.has(request)) {
      proceed();
      return;
    }
    connection.drained.push(proceed);
    this.#writing.add(connection);
    this.#unknownTurns.plan();
  }

  #release(underWay: UnderWay): void {
    if (underWay.isReleased) return;
    underWay.isReleased = true;
    this.#slowBodies.ended(underWay);
    underWay.connection.block.underWay--;
    this.#underWay--;
  }

  /** Refuses a client behind a proxy; closes any other connection, after an answer if it would be the next one. */
  #refuse(connection: GatedConnection, parsed: Parsed, payer: string): void {
    const { budget, onCapReached, refuse } = this.#options;
    onCapReached("budget", connection.socket.remoteAddress ?? "");
    budget.charge(payer, CHARGES.withoutBudget);
    if (!connection.isShared) {
      connection.isClosed = true;
      connection.waiting.length = 0;
      if (connection.underWay.size > 0) {
        connection.socket.destroy();
        return;
      }
      parsed.response.setHeader("connection", "close");
    }
    refuse(parsed, budget.secondsUntilRefilled(payer));
  }

  #timeOut({ connection, payer, request }: UnderWay): void {
    if (this.#requests.has(request)) this.#options.budget.charge(payer, CHARGES.lateBody);
    this.#options.onCapReached("body", connection.socket.remoteAddress ?? "");
    this.#closed(connection);
    this.#options.timeOut(connection.socket);
  }

  get #isWaiting(): boolean {
    return !this.#known.isEmpty || !this.#unknown.isEmpty;
  }

  #waitsIn({ known, unknown }: GatedBlock): boolean {
    return known.size > 0 || unknown.size > 0;
  }

  #payerOf(connection: GatedConnection, { headers }: IncomingMessage): string {
    if (!connection.isShared) return connection.block.name;
    const { proxies } = this.#options;
    return addressBlock(clientAddress(connection.socket.remoteAddress, headers["x-forwarded-for"], proxies));
  }

  #planTurns(): void {
    if (!this.#unknown.isEmpty) this.#unknownTurns.plan();
    if (this.#isWaiting) this.#slowBodies.plan();
    if (this.#isKnownTurnPlanned || this.#known.isEmpty) return;
    this.#isKnownTurnPlanned = true;
    setImmediate(() => {
      this.#isKnownTurnPlanned = false;
      while (this.#beginNext(this.#known));
    });
  }

  /** Continues one answer and starts one request. @returns whether others may be next */
  #unknownStep(): boolean {
    const reader = this.#writing.take(() => true);
    reader?.drained.shift()?.();
    if (reader && reader.drained.length > 0) this.#writing.add(reader);
    return this.#beginNext(this.#unknown) || reader !== undefined;
  }

  /** Starts a request. @returns whether another may start now */
  #beginNext(turns: RequestTurns): boolean {
    const connection = this.#hasRoom() ? turns.take(this.#mayBegin) : undefined;
    if (!connection) return false;
    if (connection.waiting.length > 0 && !connection.isClosed) this.#begin(connection);
    return true;
  }

  /** Forgets a connection. Node does not notify responses that waited behind others when their connection ends. */
  #closed(connection: GatedConnection): void {
    const { block } = connection;
    if (!block.connections.delete(connection)) return;
    connection.isClosed = true;
    connection.waiting.length = 0;
    connection.drained.length = 0;
    this.#buffered.forget(connection);
    for (const each of connection.underWay) this.#release(each);
    connection.underWay.clear();
    block.known.delete(connection);
    block.unknown.delete(connection);
    block.writing.delete(connection);
    if (block.connections.size === 0) this.#blocks.delete(block.name);
    this.#planTurns();
  }
}
