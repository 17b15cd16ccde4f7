import type { Session } from "../connection/session.ts";
import { AgentError } from "../errors.ts";
import { OfflineQueue, type Outgoing, type QueueLimits } from "./queue.ts";

/** Why a message was dropped: the queue was full, or several sessions closed without acknowledging it. */
export type DropReason = "queue_full" | "unacknowledged";

/** The most unacknowledged messages at once: enough for a slow connection, few enough to repeat after its loss. */
const WINDOW = 64;
/** A broker closes an MQTT 3.1.1 session on a message that it refuses. After this many sessions the message is dropped, so that later ones get through. */
const MOST_STALLS = 5;

/**
 * Messages from `publish` to PUBACK: queued while there is no session, sent in order, and sent again on the next session when one ended
 * before their acknowledgement (at least once, MQTT 4.3.2).
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
    // Without this, a dropped message whose publisher does not await it would end the process (unhandled rejection).
    promise.catch(() => {});
    this.#drop(this.#queue.push({ topic, payload, retain, stalls: 0, resolve, reject }), "queue_full");
    this.#pump();
    return promise;
  }

  /** Sends on `session` from now on, first what the previous session left unacknowledged. */
  attach(session: Session): void {
    this.#requeue(false);
    this.#session = session;
    this.#progressed = false;
    this.#pump();
  }

  /** Stops sending on `session`, which has ended. */
  detach(session: Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#requeue(!this.#progressed);
  }

  /** Resolves when every message is acknowledged or dropped. */
  drained(): Promise<void> {
    return this.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Rejects every message with `error`. */
  clear(error: AgentError): void {
    this.#session = undefined;
    this.#requeue(false);
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
    // A late PUBACK of an ended session: the message is queued again and will be acknowledged again.
    if (!this.#inFlight.delete(message)) return;
    this.#progressed = true;
    this.acknowledged += 1;
    message.resolve();
    this.#pump();
    this.#settle();
  }

  #requeue(stalled: boolean): void {
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
    const why =
      reason === "queue_full" ? "the offline queue was full" : "several sessions closed without acknowledging it";
    for (const message of messages) message.reject(new AgentError("dropped", `Message dropped: ${why}.`));
    this.#onDrop(messages.length, reason);
    this.#settle();
  }

  #settle(): void {
    if (this.length === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
