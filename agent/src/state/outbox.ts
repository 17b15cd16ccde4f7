import { AgentError } from "../errors.ts";
import { OfflineQueue, type Outgoing, type QueueLimits } from "../queue.ts";
import type { Session } from "../session.ts";

/** Why a message was given up: the queue was full, or sessions kept closing on it without acknowledging anything. */
export type DropReason = "queue_full" | "unacknowledged";

/** Unacknowledged messages on the wire at once; enough to fill a slow link, few enough to repeat after a loss. */
const WINDOW = 64;
/** A broker closes a 3.1.1 session on a message it will not take; after this many the message goes, not the device. */
const MOST_STALLS = 5;

/**
 * Messages from `publish` to PUBACK: queued while there is no session, sent in order, sent again on the next session
 * when the last ended before their acknowledgement (at least once, MQTT 4.3.2).
 */
export class Outbox {
  readonly #queue: OfflineQueue;
  readonly #inFlight = new Set<Outgoing>();
  readonly #onDrop: (count: number, reason: DropReason) => void;
  readonly #waiting: Array<() => void> = [];
  #session: Session | undefined;
  #progressed = false;
  dropped = 0;
  acknowledged = 0;

  constructor(limits: QueueLimits, onDrop: (count: number, reason: DropReason) => void) {
    this.#queue = new OfflineQueue(limits);
    this.#onDrop = onDrop;
  }

  /** Messages not yet acknowledged. */
  get length(): number {
    return this.#queue.length + this.#inFlight.size;
  }

  /** Queues a message; the promise resolves on its PUBACK and rejects with `dropped` or `closed`. */
  add(topic: string, payload: Buffer, retain: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A publisher that does not wait must not bring the process down when its message is dropped.
    promise.catch(() => {});
    this.#drop(this.#queue.push({ topic, payload, retain, stalls: 0, resolve, reject }), "queue_full");
    this.#pump();
    return promise;
  }

  /** Sends on `session` from now on; what the previous one left unacknowledged goes first. */
  attach(session: Session): void {
    this.#takeBack(false);
    this.#session = session;
    this.#progressed = false;
    this.#pump();
  }

  /** Stops sending on `session`, which is gone. */
  detach(session: Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#takeBack(!this.#progressed);
  }

  /** Resolves when every message is acknowledged or dropped. */
  drained(): Promise<void> {
    return this.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives every message up. */
  clear(error: AgentError): void {
    this.#session = undefined;
    this.#takeBack(false);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next.reject(error);
    this.#settle();
  }

  #pump(): void {
    const session = this.#session;
    while (session !== undefined && this.#inFlight.size < WINDOW) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      this.#inFlight.add(message);
      session.publish(message.topic, message.payload, message.retain, () => this.#acknowledge(message));
    }
  }

  #acknowledge(message: Outgoing): void {
    // A late PUBACK of an ended session: the message was taken back and will be acknowledged again.
    if (!this.#inFlight.delete(message)) return;
    this.#progressed = true;
    this.acknowledged += 1;
    message.resolve();
    this.#pump();
    this.#settle();
  }

  #takeBack(stalled: boolean): void {
    const messages = [...this.#inFlight];
    this.#inFlight.clear();
    const oldest = messages[0];
    if (stalled && oldest !== undefined && ++oldest.stalls >= MOST_STALLS) {
      this.#drop([oldest], "unacknowledged");
      messages.shift();
    }
    this.#drop(this.#queue.putBack(messages), "queue_full");
  }

  #drop(messages: Outgoing[], reason: DropReason): void {
    if (messages.length === 0) return;
    this.dropped += messages.length;
    const why = reason === "queue_full" ? "the offline queue was full" : "the broker kept closing on it";
    for (const message of messages) message.reject(new AgentError("dropped", `Message given up: ${why}.`));
    this.#onDrop(messages.length, reason);
    this.#settle();
  }

  #settle(): void {
    if (this.length === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
