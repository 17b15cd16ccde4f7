import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { BrokerLimits } from "../../limits.ts";
import { PacketGate, type Passed } from "../../packet-gate.ts";
import { PacketProblem } from "../../packet-rules.ts";
import type { RateLimit } from "../../rate-limit.ts";

/** Why reading rests; several at once. */
const HOLD = { connect: 1, full: 2, rate: 4, stop: 8 } as const;

/** How long a peer that has gone away may still have its last packets worked on, and a farewell may take to be sent. */
const LINGER_MS = 5_000;
const FAREWELL_MS = 2_000;

export interface GatedStreamOptions {
  limits: BrokerLimits;
  rate: RateLimit;
  /** The peer broke a rule or does not read; the stream is closing. */
  onProblem(reason: string): void;
}

/**
 * What aedes is given for a socket: its reading side yields only packets that passed the gate, no faster than the client's
 * rate, and nothing after a CONNECT until that is accepted. Its writing side never asks aedes to wait (one subscriber that
 * does not read would hold up every publisher), but disconnects a client whose backlog grows too long.
 */
export class GatedStream extends Duplex {
  readonly socket: TLSSocket;
  /** Whether the client said goodbye, so that its will is void. */
  disconnected = false;
  readonly #options: GatedStreamOptions;
  readonly #gate: PacketGate;
  #holds = 0;
  #timer: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(socket: TLSSocket, options: GatedStreamOptions) {
    super({ readableHighWaterMark: 64 * 1024, writableHighWaterMark: 1024 * 1024, allowHalfOpen: true });
    this.socket = socket;
    this.#options = options;
    this.#gate = new PacketGate(options.limits.maxPacketUnauthenticated);
    socket.on("data", (chunk: Buffer) => {
      this.#gate.feed(chunk);
      this.#pump();
    });
    socket.on("error", () => undefined);
    socket.once("end", () => this.#finish());
    socket.once("close", () => this.#finish());
  }

  /** The CONNECT is accepted: lets the packets behind it through, which may be longer now. */
  accept(): void {
    this.#gate.raise(this.#options.limits.maxPacket);
    this.#release(HOLD.connect);
  }

  /** Reads nothing more. */
  rest(): void {
    this.#hold(HOLD.stop);
  }

  override _read(): void {
    this.#release(HOLD.full);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(chunk);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: () => void): void {
    this.socket.end();
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#linger);
    const { socket } = this;
    if (!socket.destroyed) {
      // What was said last, such as the reason of a refusal, should arrive; a peer that does not read cannot hold us up.
      const late = setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
      socket.once("close", () => clearTimeout(late));
      socket.resume();
      socket.destroySoon();
    }
    done();
  }

  #send(bytes: Buffer): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    this.socket.write(bytes);
    if (this.socket.writableLength <= this.#options.limits.maxBacklog) return;
    this.#options.onProblem("slow_consumer");
    this.socket.destroy();
    this.destroy();
  }

  #pump(): void {
    while (this.#holds === 0 && !this.destroyed && this.#gate.holds) {
      const allowance = this.#options.rate.allowance();
      if (allowance < 1) {
        this.#waitForRate();
        return;
      }
      const passed = this.#take(allowance);
      if (passed === undefined) break;
      this.#options.rate.spend(passed.messages, passed.bytes.length);
      if (passed.disconnect) this.disconnected = true;
      if (passed.connect) this.#hold(HOLD.connect);
      if (!this.push(passed.bytes)) this.#hold(HOLD.full);
    }
    if (this.#ended && this.#holds === 0 && !this.destroyed) this.push(null);
  }

  #take(allowance: number): Passed | undefined {
    try {
      return this.#gate.take(allowance);
    } catch (problem) {
      if (!(problem instanceof PacketProblem)) throw problem;
      if (problem.connack !== undefined) this.socket.write(Buffer.from([0x20, 2, 0, problem.connack]));
      this.#options.onProblem("protocol_error");
      this.destroy();
      return undefined;
    }
  }

  #waitForRate(): void {
    const ms = this.#options.rate.waitMs();
    this.#hold(HOLD.rate);
    this.#timer = setTimeout(() => {
      this.#options.rate.waited(ms);
      this.#release(HOLD.rate);
    }, ms).unref();
  }

  #hold(reason: number): void {
    this.#holds |= reason;
    this.socket.pause();
  }

  #release(reason: number): void {
    if ((this.#holds & reason) === 0) return;
    this.#holds &= ~reason;
    if (this.#holds !== 0) return;
    this.socket.resume();
    this.#pump();
  }

  /** The peer sends no more. What it sent is still worked on, for a while. */
  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    if ((this.#holds & HOLD.connect) !== 0) {
      this.destroy();
      return;
    }
    this.#linger = setTimeout(() => this.destroy(), LINGER_MS).unref();
    this.#pump();
  }
}
