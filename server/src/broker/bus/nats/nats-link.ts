import type { InterestLink } from "../announcements.ts";
import { type BatchNumber, encodeBatchHead } from "../frame.ts";

/** Frames are collected up to this size: one batch is one message of NATS. */
const BATCH_BYTES = 256 * 1024;
/** Bytes that are on their way to a process at once. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Ticks without an acknowledgement after which batches are sent again; each time after twice as many. */
const STALLED_TICKS = 2;
/** A message of NATS has the head of a batch in front of its frames. */
const HEAD_BYTES = 64;

/** What waits for all other processes together. */
export class WaitingBytes {
  readonly #max: number;
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  hasRoom(bytes: number, share: number): boolean {
    return this.#bytes + bytes <= this.#max * share;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }
}

export interface NatsLinkOptions extends Pick<BatchNumber, "from" | "epoch"> {
  /** Of what waits for the process. */
  maxBytes: number;
  total: WaitingBytes;
  /** Bytes of the longest message that NATS takes. */
  maxPayload(): number;
  /** @param messages in the batch that were not sent before. @returns false while NATS is away */
  send(batch: Buffer, messages: number): boolean;
  /** Called where something is to be flushed. */
  onPending(link: NatsLink): void;
}

interface Batch {
  number: number;
  bytes: Buffer;
  messages: number;
}

/**
 * To one other process: frames in their order, in numbered batches, each of which is kept until the process has acknowledged it. NATS loses
 * what is on its way when a connection breaks; a batch that is not acknowledged is sent again, with all later ones.
 */
export class NatsLink implements InterestLink {
  known = -1;
  /** NATS has no subscription of the process: it has ended, or is about to connect again. */
  isAway = false;
  /** So much interest waits for the process that the link must begin again. */
  isBroken = false;
  readonly #options: NatsLinkOptions;
  #frames: Buffer[] = [];
  #frameBytes = 0;
  #messages = 0;
  /** Without an acknowledgement, the oldest first; the first `#sent` of them have been sent. */
  #batches: Batch[] = [];
  #sent = 0;
  #sentBytes = 0;
  #bytes = 0;
  #number = 0;
  #sentNumber = 0;
  #acknowledged = 0;
  #stalled = 0;

  constructor(options: NatsLinkOptions) {
    this.#options = options;
  }

  get epoch(): number {
    return this.#options.epoch;
  }

  /** Whether the process has acknowledged anything. */
  get isAcknowledged(): boolean {
    return this.#acknowledged > 0;
  }

  /** Whether nothing waits that could arrive. */
  get isIdle(): boolean {
    return this.isAway || (this.#frames.length === 0 && this.#batches.length === 0);
  }

  /** Queues a message. @returns false where too much waits, or it is too long; messages of QoS 0 have half of the room */
  message(frame: Buffer, qos: number): boolean {
    const { maxBytes, total, maxPayload } = this.#options;
    const share = qos === 0 ? 0.5 : 1;
    if (this.isBroken || frame.length + HEAD_BYTES > maxPayload()) return false;
    if (this.#bytes + frame.length > maxBytes * share || !total.hasRoom(frame.length, share)) return false;
    this.#push(frame);
    this.#messages++;
    return true;
  }

  control(frame: Buffer): void {
    if (this.#bytes > 2 * this.#options.maxBytes) this.isBroken = true;
    if (!this.isBroken) this.#push(frame);
  }

  flush(): void {
    this.#cut();
    this.#pump();
  }

  /** The process has all batches up to `number`. */
  acknowledge(number: number): void {
    const done = this.#batches.findIndex((batch) => batch.number > number);
    const batches = this.#batches.splice(0, done < 0 ? this.#batches.length : done);
    if (batches.length === 0) return;
    const bytes = sizeOf(batches);
    this.#release(bytes);
    this.#sentBytes = Math.max(0, this.#sentBytes - bytes);
    this.#sent = Math.max(0, this.#sent - batches.length);
    this.#acknowledged = number;
    this.#stalled = 0;
    this.#pump();
  }

  /** Sends again what is not acknowledged. */
  rewind(): void {
    this.#sent = 0;
    this.#sentBytes = 0;
    this.#pump();
  }

  /** To be called at a fixed interval: notices that acknowledgements are missing. */
  tick(): void {
    if (this.#sent === 0) {
      this.#stalled = 0;
      return;
    }
    this.#stalled++;
    const isPowerOf2 = (this.#stalled & (this.#stalled - 1)) === 0;
    if (this.#stalled >= STALLED_TICKS && isPowerOf2) this.rewind();
  }

  /** Ends the link. @returns the bytes of the frames that are not acknowledged, heads of batches among them */
  end(): Buffer[] {
    this.#cut();
    const batches = this.#batches;
    this.destroy();
    return batches.map(({ bytes }) => bytes);
  }

  destroy(): void {
    this.#release(this.#bytes);
    this.isBroken = true;
    this.#frames = [];
    this.#batches = [];
    this.#sent = 0;
  }

  #push(frame: Buffer): void {
    if (this.#frameBytes + frame.length > BATCH_BYTES) this.#cut();
    this.#frames.push(frame);
    this.#frameBytes += frame.length;
    this.#bytes += frame.length;
    this.#options.total.add(frame.length);
    this.#options.onPending(this);
  }

  #cut(): void {
    if (this.#frames.length === 0) return;
    const { from, epoch } = this.#options;
    const head = encodeBatchHead({ from, epoch, number: ++this.#number });
    const bytes = Buffer.concat([head, ...this.#frames]);
    this.#batches.push({ number: this.#number, bytes, messages: this.#messages });
    this.#options.total.add(head.length);
    this.#bytes += head.length;
    this.#frames = [];
    this.#frameBytes = 0;
    this.#messages = 0;
  }

  #pump(): void {
    while (!this.isAway && this.#sent < this.#batches.length && this.#sentBytes < WINDOW_BYTES) {
      const { number, bytes, messages } = this.#batches[this.#sent]!;
      if (!this.#options.send(bytes, number > this.#sentNumber ? messages : 0)) return;
      this.#sentNumber = Math.max(this.#sentNumber, number);
      this.#sent++;
      this.#sentBytes += bytes.length;
    }
  }

  #release(bytes: number): void {
    this.#bytes -= bytes;
    this.#options.total.add(-bytes);
  }
}

function sizeOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
