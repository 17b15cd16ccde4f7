import type { Socket } from "node:net";
import type { Clock } from "../../../lib/clock.ts";
import type { Frame } from "../../codec/cursor.ts";
import { FrameReader } from "../../codec/frame-reader.ts";
import { PACKET_TYPE } from "../../codec/packet-types.ts";
import { PacketProblem } from "../../codec/problem.ts";
import type { BrokerLimits } from "../../limits.ts";
import { RateLimit } from "../../rate-limit.ts";
import type { SessionBudget } from "../../session-budget.ts";

/**
 * The reasons for not reading the socket, as bits: a CONNECT is being authorized, the rate limit, the engine stops, the
 * budget.
 */
const PAUSE = { connect: 1, rate: 2, stop: 4, budget: 8 } as const;

export interface InboundOwner {
  /** Whether the client's packets may be handled; otherwise the session ends. */
  mayBeRead(): boolean;
  /** Handles a whole packet; its bytes may be used only during the call. May throw {@link PacketProblem}. */
  onFrame(frame: Frame, bytes: number): void;
  /** Handles a forbidden packet; all earlier packets have been handled. */
  onProblem(problem: PacketProblem): void;
  /** Handles an internal error while handling a packet; no other session must be affected. */
  onFailure(error: Error): void;
  /** Called when the client sends no more and all its packets have been handled. */
  onInputEnd(): void;
}

/** Reads one session's packets no faster than its rate limit, and only while its budget has room. */
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

  /** Whether we are not reading the client, whatever it sends. */
  get isPaused(): boolean {
    return this.#pauses !== 0;
  }

  feed(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#reader.feed(chunk);
    this.#read();
  }

  /** Records that the client sends no more. */
  end(): void {
    this.#isEnded = true;
    this.#read();
  }

  /** Pauses while a CONNECT is being authorized: no later packet is handled before {@link accept}. */
  pauseForConnect(): void {
    this.#pause(PAUSE.connect);
  }

  /** Continues after an accepted CONNECT: packets may be longer now, and are read while the budget has room. */
  accept(budget: SessionBudget): void {
    this.#budget = budget;
    this.#reader.maxPacket = this.#limits.mqttPacketBytes;
    this.#resume(PAUSE.connect);
  }

  /** Continues after the budget has room again. */
  resumeInBudget(): void {
    this.#resume(PAUSE.budget);
  }

  /** Stops reading permanently. */
  stop(): void {
    this.#pause(PAUSE.stop);
  }

  /** Drops the bytes not handled yet. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#rateTimer);
  }

  /** Handles the received packets; not re-entrant, although a packet may trigger it. */
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

  /** Handles the packets that the rate limit lets through now. @returns whether there may be more */
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

  /** Whether the budget has room; asked once per chunk, so a resumed session reads many messages instead of one. */
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

/** Whether the packet is exempt from the message rate limit, which does not count acknowledgements. */
function isAck(first: number): boolean {
  const type = first >> 4;
  return type >= PACKET_TYPE.puback && type <= PACKET_TYPE.pubcomp;
}
