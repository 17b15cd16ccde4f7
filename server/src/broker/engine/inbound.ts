import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import type { Frame } from "../codec/cursor.ts";
import { FrameReader } from "../codec/frame-reader.ts";
import { PACKET_TYPE } from "../codec/packet-types.ts";
import { PacketProblem } from "../codec/problem.ts";
import type { BrokerLimits } from "../limits.ts";
import { RateLimit } from "../rate-limit.ts";
import type { SessionBudget } from "../session-budget.ts";

/** Why the socket is not read, as bits: a CONNECT is being authorized, the rate limit, the engine stops, the budget. */
const PAUSE = { connect: 1, rate: 2, stop: 4, budget: 8 } as const;

export interface InboundOwner {
  /** Whether what the client sends may be handled; otherwise the session ends. */
  mayBeRead(): boolean;
  /** A whole packet; its bytes may be used only during the call. May throw {@link PacketProblem}. */
  onFrame(frame: Frame, bytes: number): void;
  /** A forbidden packet; those before it have been handled. */
  onProblem(problem: PacketProblem): void;
  /** Handling a packet failed, which is a fault of ours; no other session is to suffer. */
  onFailure(error: Error): void;
  /** The client sends no more, and all that it sent has been handled. */
  onInputEnd(): void;
}

/** What one session receives: packets no faster than its rate limit, and only while its budget has room. */
export class Inbound {
  readonly #socket: Socket;
  readonly #owner: InboundOwner;
  readonly #reader: FrameReader;
  readonly #rate: RateLimit;
  readonly #limits: BrokerLimits;
  #budget: SessionBudget | undefined;
  #pauses = 0;
  #rateTimer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isEnded = false;
  #isClosed = false;

  constructor(socket: Socket, owner: InboundOwner, { limits, clock }: { limits: BrokerLimits; clock: Clock }) {
    this.#socket = socket;
    this.#owner = owner;
    this.#limits = limits;
    this.#reader = new FrameReader(limits.mqttFirstPacketBytes);
    this.#rate = new RateLimit(limits, clock);
  }

  /** Whether we do not read the client, whatever it sends. */
  get isPaused(): boolean {
    return this.#pauses !== 0;
  }

  feed(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#reader.feed(chunk);
    this.#read();
  }

  /** The client sends no more. */
  end(): void {
    this.#isEnded = true;
    this.#read();
  }

  /** A CONNECT is being authorized: nothing behind it is handled before {@link accept}. */
  pauseForConnect(): void {
    this.#pause(PAUSE.connect);
  }

  /** The CONNECT is accepted: packets may be longer now, and are read while the budget has room. */
  accept(budget: SessionBudget): void {
    this.#budget = budget;
    this.#reader.maxPacket = this.#limits.mqttPacketBytes;
    this.#resume(PAUSE.connect);
  }

  /** The budget has room again. */
  resumeInBudget(): void {
    this.#resume(PAUSE.budget);
  }

  /** Reads nothing more, for good. */
  stop(): void {
    this.#pause(PAUSE.stop);
  }

  /** Drops what was not handled. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#rateTimer);
  }

  /** Not entered again by what a packet causes. */
  #read(): void {
    if (this.#isReading || this.#isClosed || !this.#owner.mayBeRead()) return;
    this.#isReading = true;
    try {
      while (this.#mayRead() && this.#readWithinRate());
    } catch (problem) {
      if (problem instanceof PacketProblem) this.#owner.onProblem(problem);
      else this.#owner.onFailure(problem as Error);
    } finally {
      this.#isReading = false;
    }
    if (this.#isEnded && this.#mayRead()) this.#owner.onInputEnd();
  }

  #mayRead(): boolean {
    return this.#pauses === 0 && !this.#isClosed;
  }

  /** Handles what the rate limit lets through now. @returns whether there may be more */
  #readWithinRate(): boolean {
    if (!this.#reader.hasBytes) return false;
    const allowance = this.#rate.allowance();
    if (allowance < 1) {
      this.#waitForRate();
      return false;
    }
    if (!this.#hasRoom()) {
      this.#pause(PAUSE.budget);
      return false;
    }
    let [messages, bytes] = [0, 0];
    while (messages < allowance && this.#mayRead() && this.#reader.next()) {
      const { first, length } = this.#reader;
      if (!isAck(first)) messages++;
      bytes += length;
      this.#owner.onFrame(this.#reader, length);
      this.#budget?.endCollecting();
    }
    this.#rate.spend(messages, bytes);
    this.#budget?.spend(bytes);
    return bytes > 0;
  }

  /** Asked once for all that arrived together: where the budget is full, a session that is resumed then reads many messages and not one. */
  #hasRoom(): boolean {
    const { incomplete } = this.#reader;
    if (!this.#budget) return true;
    return incomplete > 0 ? this.#budget.mayCollect(incomplete) : this.#budget.hasRoom();
  }

  #waitForRate(): void {
    const ms = this.#rate.waitMs();
    this.#pause(PAUSE.rate);
    this.#rateTimer = setTimeout(() => {
      this.#rate.waited(ms);
      this.#resume(PAUSE.rate);
    }, ms).unref();
  }

  #pause(reason: number): void {
    this.#pauses |= reason;
    this.#socket.pause();
  }

  #resume(reason: number): void {
    if ((this.#pauses & reason) === 0) return;
    this.#pauses &= ~reason;
    if (this.#pauses !== 0) return;
    this.#socket.resume();
    this.#read();
  }
}

/** The rate limit counts all packets but acknowledgements. */
function isAck(first: number): boolean {
  const type = first >> 4;
  return type >= PACKET_TYPE.puback && type <= PACKET_TYPE.pubcomp;
}
