import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { BrokerLimits } from "../../limits.ts";
import { type CheckedPackets, PacketGate } from "../../packet-gate.ts";
import { PacketProblem } from "../../packet-rules.ts";
import { connackCode } from "../../policy/answers.ts";
import { Qos2Window } from "../../qos2-window.ts";
import type { RateLimit } from "../../rate-limit.ts";
import type { SessionBudget } from "../../session-budget.ts";

/** Why the socket is not read, as bits: a CONNECT is being authorized, aedes has enough, the rate limit, the engine stops, the budget. */
const PAUSE = { connect: 1, full: 2, rate: 4, stop: 8, budget: 16 } as const;

/** How long the packets of a client that has closed its side are still processed, and how long the last packet to it may take. */
const LINGER_MS = 5_000;
const FLUSH_MS = 2_000;

export interface GatedStreamOptions {
  limits: BrokerLimits;
  rate: RateLimit;
  /** The client sent a forbidden packet or does not read; the stream is closing. */
  onProblem(reason: string): void;
}

/**
 * What aedes reads and writes instead of the socket. The reading side yields only packets that passed the gate, no faster than the
 * client's rate limit, and none after a CONNECT until that is accepted. The writing side never lets aedes wait, because one subscriber
 * that does not read would delay every publisher; it disconnects a client whose backlog grows too long.
 */
export class GatedStream extends Duplex {
  readonly socket: TLSSocket;
  /** Whether the client sent a DISCONNECT, which voids its will. */
  disconnected = false;
  readonly #options: GatedStreamOptions;
  readonly #gate: PacketGate;
  #budget: SessionBudget | undefined;
  #pauses = 0;
  #rateTimer: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(socket: TLSSocket, options: GatedStreamOptions) {
    super({ readableHighWaterMark: 64 * 1024, writableHighWaterMark: 1024 * 1024, allowHalfOpen: true });
    this.socket = socket;
    this.#options = options;
    this.#gate = new PacketGate(options.limits.mqttFirstPacketBytes, new Qos2Window(options.limits));
    socket.on("data", (chunk: Buffer) => {
      this.#gate.feed(chunk);
      this.#pump();
    });
    socket.on("error", () => undefined);
    socket.once("end", () => this.#finish());
    socket.once("close", () => this.#finish());
  }

  /** The CONNECT is accepted: lets the packets behind it through, which may be longer now, as far as the budget has room. */
  accept(budget: SessionBudget): void {
    this.#budget = budget;
    this.#gate.accept(this.#options.limits.mqttPacketBytes, budget);
    this.#resumeReading(PAUSE.connect);
  }

  /** The budget has room again. */
  resumeInBudget(): void {
    this.#resumeReading(PAUSE.budget);
  }

  /** Reads nothing more, for good. */
  stopReading(): void {
    this.#pauseReading(PAUSE.stop);
  }

  override _read(): void {
    this.#resumeReading(PAUSE.full);
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
    clearTimeout(this.#rateTimer);
    clearTimeout(this.#linger);
    const { socket } = this;
    if (!socket.destroyed) {
      // The last packet, such as the CONNACK of a refusal, should arrive; a client that does not read must not keep the socket.
      const late = setTimeout(() => socket.destroy(), FLUSH_MS).unref();
      socket.once("close", () => clearTimeout(late));
      socket.resume();
      socket.destroySoon();
    }
    done();
  }

  #send(bytes: Buffer): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    this.socket.write(bytes);
    if (this.socket.writableLength <= this.#options.limits.mqttBacklogBytes) return;
    this.#options.onProblem("slow_consumer");
    this.socket.destroy();
    this.destroy();
  }

  #pump(): void {
    while (this.#pauses === 0 && !this.destroyed && this.#gate.hasBytes) {
      const allowance = this.#options.rate.allowance();
      if (allowance < 1) {
        this.#waitForRate();
        return;
      }
      if (this.#budget?.hasRoom() === false) {
        this.#pauseReading(PAUSE.budget);
        return;
      }
      const packets = this.#nextPackets(allowance);
      if (packets === undefined) break;
      this.#options.rate.spend(packets.messages, packets.bytes.length);
      this.#budget?.read(packets.unsettledBytes);
      if (packets.disconnect) this.disconnected = true;
      if (packets.connect) this.#pauseReading(PAUSE.connect);
      if (!this.push(packets.bytes)) this.#pauseReading(PAUSE.full);
    }
    if (this.#ended && this.#pauses === 0 && !this.destroyed) this.push(null);
  }

  #nextPackets(allowance: number): CheckedPackets | undefined {
    try {
      return this.#gate.next(allowance);
    } catch (problem) {
      if (!(problem instanceof PacketProblem)) throw problem;
      this.#refuse(problem);
      this.#options.onProblem("protocol_error");
      this.destroy();
      return undefined;
    }
  }

  /** Answers a forbidden CONNECT, if MQTT 3.1.1 has a return code for it. */
  #refuse({ problem }: PacketProblem): void {
    const code = this.#gate.connected ? undefined : connackCode(problem, 4);
    if (code !== undefined) this.socket.write(Buffer.from([0x20, 2, 0, code]));
  }

  #waitForRate(): void {
    const ms = this.#options.rate.waitMs();
    this.#pauseReading(PAUSE.rate);
    this.#rateTimer = setTimeout(() => {
      this.#options.rate.waited(ms);
      this.#resumeReading(PAUSE.rate);
    }, ms).unref();
  }

  #pauseReading(reason: number): void {
    this.#pauses |= reason;
    this.socket.pause();
  }

  #resumeReading(reason: number): void {
    if ((this.#pauses & reason) === 0) return;
    this.#pauses &= ~reason;
    if (this.#pauses !== 0) return;
    this.socket.resume();
    this.#pump();
  }

  /** The client sends no more. What it sent is still processed, for a limited time. */
  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    if ((this.#pauses & PAUSE.connect) !== 0) {
      this.destroy();
      return;
    }
    this.#linger = setTimeout(() => this.destroy(), LINGER_MS).unref();
    this.#pump();
  }
}
