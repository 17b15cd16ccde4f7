import type { InterestLink } from "../announcements.ts";
import { type BatchNumber, encodeBatchHead } from "../frame.ts";

/** The maximum size of a batch; one batch is one NATS message. */
const BATCH_BYTES = 256 * 1024;
/** The limit on bytes in flight to a process. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** The ticks without an acknowledgement after which batches are sent again; the interval doubles each time. */
const STALLED_TICKS = 2;
/** The bytes reserved for the head of a batch in front of its frames. */
const HEAD_BYTES = 64;

/** The bytes that wait for all other processes together. */
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
  /** The limit on bytes that wait for the process. */
  maxBytes: number;
  total: WaitingBytes;
  /** The length of the longest message that NATS accepts, in bytes. */
  maxPayload(): number;
  /** @param messages those in the batch that are sent for the first time @returns false while NATS is unreachable */
  send(batch: Buffer, messages: number): boolean;
  /** Called when frames wait to be flushed. */
  onPending(link: NatsLink): void;
}

interface Batch {
  number: number;
  bytes: Buffer;
  messages: number;
}

/**
 * Sends frames to one other process in order, in numbered batches that are stored until the process acknowledges them.
 * NATS loses messages in transit when a connection breaks; an unacknowledged batch is sent again, with all later ones.
 */
export class NatsLink implements InterestLink {
  known = -1;
  /** Whether NATS has no subscription of the process: it has ended, or is about to reconnect. */
  isAway = false;
  /** Whether so many changes of interest wait for the process that the link must start over. */
  isBroken = false;
  readonly #options: NatsLinkOptions;
  #frames: Buffer[] = [];
  #frameBytes = 0;
  #messages = 0;
  /** Unacknowledged batches, oldest first; the first `#sent` of them have been sent. */
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

  /** Whether the process has acknowledged any batch. */
  get isAcknowledged(): boolean {
    return this.#acknowledged > 0;
  }

  /** Whether no deliverable frames wait. */
  get isIdle(): boolean {
    return this.isAway || (this.#frames.length === 0 && this.#batches.length === 0);
  }

  /**
   * Queues a message. Returns false if the message is too long or the queue is full. QoS 0 messages may fill half of
   * the queue.
   */
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

  /** Records that all batches up to `number` have arrived. */
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

  /** Sends all unacknowledged batches again. */
  rewind(): void {
    this.#sent = 0;
    this.#sentBytes = 0;
    this.#pump();
  }

  /** Detects missing acknowledgements; must be called at a fixed interval. */
  tick(): void {
    if (this.#sent === 0) {
      this.#stalled = 0;
      return;
    }
    this.#stalled++;
    const isPowerOf2 = (this.#stalled & (this.#stalled - 1)) === 0;
    if (this.#stalled >= STALLED_TICKS && isPowerOf2) this.rewind();
  }

  /** Ends the link. @returns the bytes of the unacknowledged frames, including the heads of batches */
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
