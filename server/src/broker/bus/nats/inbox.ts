import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/logger.ts";
import type { Announcements } from "../announcements.ts";
import type { BusReceiver } from "../bus.ts";
import { type BatchNumber, BUS_VERSION, type BusFrame, decodeFrame, encodeAck, encodeNumber } from "../frame.ts";
import { FrameSplitter } from "../frame-fields.ts";
import type { RemoteState } from "../remote-state.ts";
import type { Peer } from "./peer.ts";

/** The time that an acknowledgement waits for further batches. */
const ACK_MS = 10;

export interface InboxOptions {
  /** The name of this process. */
  name: string;
  clock: Clock;
  logger: Logger;
  remote: RemoteState<Peer>;
  announcements: Announcements;
  receiver(): BusReceiver;
  find(name: string): Peer | undefined;
  /** Creates the process of this name, which is known from then on. */
  join(name: string): Peer;
  /** Sends an acknowledgement to a process. */
  answer(name: string, ack: Buffer): void;
  /** Called when a process has lost the state that it had acknowledged. */
  onLost(peer: Peer): void;
  onAcknowledged(): void;
}

/**
 * Receives what other processes send to this one: batches, which it applies in order and acknowledges, and
 * acknowledgements.
 */
export class Inbox {
  readonly #options: InboxOptions;
  /** Processes that are due an acknowledgement. */
  readonly #due = new Set<Peer>();
  /** Processes of other versions, each of which is logged once. */
  readonly #foreign = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Handles a message to this process: a batch or an acknowledgement. Never throws: that would end NATS's reader. */
  received(data: Buffer): void {
    if (this.#isClosed) return;
    try {
      const [head, ...frames] = framesOf(data);
      if (!head) return;
      const first = this.#decode(head);
      if (first.type === "ack") this.#acknowledged(first);
      else if (first.type === "batch") this.#receive(first, frames);
    } catch (error) {
      this.#options.logger.error({ err: (error as Error).message }, "a message from another process cannot be decoded");
    }
  }

  /** Decodes a broadcast of another process of this version; undefined for anything else. Never throws. */
  broadcast(data: Buffer): (BusFrame & { type: "hello" | "bye" }) | undefined {
    try {
      const frame = this.#decode(framesOf(data)[0]!);
      if (frame.type === "bye") return frame;
      if (frame.type !== "hello" || frame.name === this.#options.name) return undefined;
      if (frame.version === BUS_VERSION) return frame;
      this.#warnOfVersion(frame);
    } catch (error) {
      this.#options.logger.error(
        { err: (error as Error).message },
        "a broadcast from another process cannot be decoded",
      );
    }
    return undefined;
  }

  /** Makes the process start over if it assumes that this one has received anything from it. */
  acknowledgeNothing({ name }: Peer): void {
    this.#options.answer(name, encodeAck({ from: this.#options.name, epoch: 0, number: 0 }, false));
  }

  /** Yields the MQTT messages in the bytes of frames. */
  *messagesIn(bytes: readonly Buffer[]): Iterable<BusFrame & { type: "publish" | "shared" }> {
    for (const frame of bytes.flatMap(framesOf)) {
      const decoded = this.#decode(frame);
      if (decoded.type === "publish" || decoded.type === "shared") yield decoded;
    }
  }

  /** Sends the pending acknowledgements; messages are ignored from then on. */
  close(): void {
    clearTimeout(this.#timer);
    this.#acknowledge();
    this.#isClosed = true;
  }

  #decode(frame: Buffer): BusFrame {
    return decodeFrame(frame, this.#options.clock.monotonicMs());
  }

  #acknowledged({ from, epoch, number, isGap }: BatchNumber & { isGap: boolean }): void {
    const peer = this.#options.find(from);
    if (!peer) return;
    const { link } = peer;
    if (epoch === 0 && link.isAcknowledged) this.#options.onLost(peer);
    if (epoch !== link.epoch) return;
    link.acknowledge(number);
    if (isGap) link.rewind();
    this.#options.onAcknowledged();
  }

  #receive({ from, epoch, number }: BatchNumber, frames: readonly Buffer[]): void {
    const peer = this.#options.find(from) ?? this.#options.join(from);
    if (epoch !== peer.received.epoch) {
      if (number !== 1) {
        this.acknowledgeNothing(peer);
        return;
      }
      this.#options.remote.forget(peer);
      peer.received = { epoch, number: 0 };
    }
    const isGap = number > peer.received.number + 1;
    if (number === peer.received.number + 1) {
      peer.received.number = number;
      for (const frame of frames) this.#take(peer, this.#decode(frame));
    }
    if (isGap) this.#options.answer(from, this.#ackFor(peer, true));
    else this.#acknowledgeLater(peer);
  }

  #take(peer: Peer, frame: BusFrame): void {
    const { remote, announcements, receiver } = this.#options;
    if (frame.type === "publish") receiver().deliver(frame);
    else if (frame.type === "shared") receiver().deliverShared(frame);
    else if (frame.type === "known") announcements.known(peer.name, peer.link, frame.number);
    else if (remote.learn(peer, frame, receiver())) {
      if (frame.type === "all") peer.setKnown();
      peer.link.control(encodeNumber("known", frame.number));
    }
  }

  #ackFor({ received }: Peer, isGap: boolean): Buffer {
    return encodeAck({ from: this.#options.name, ...received }, isGap);
  }

  #acknowledgeLater(peer: Peer): void {
    this.#due.add(peer);
    this.#timer ??= setTimeout(() => this.#acknowledge(), ACK_MS);
  }

  #acknowledge(): void {
    this.#timer = undefined;
    for (const peer of this.#due) this.#options.answer(peer.name, this.#ackFor(peer, false));
    this.#due.clear();
  }

  #warnOfVersion({ name, version }: { name: string; version: number }): void {
    if (this.#foreign.has(name)) return;
    this.#foreign.add(name);
    this.#options.logger.warn(
      { version, own: BUS_VERSION, name },
      "a process of another version exchanges no MQTT messages with this one",
    );
  }
}

function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  new FrameSplitter().feed(bytes, (frame) => frames.push(frame));
  return frames;
}
