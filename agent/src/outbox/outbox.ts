import { BUSY, delayMs } from "../connection/backoff.ts";
import { BLAMES_PACKET, isFailure } from "../connection/reasons.ts";
import type { Session, SessionEnd } from "../connection/session.ts";
import type { AgentError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { withResolvers } from "../with-resolvers.ts";
import { PacketIds } from "./packet-ids.ts";
import { OfflineQueue, type Outgoing, type QueueLimits } from "./queue.ts";
import { type DropReason, droppedError, isRetried, refusedError } from "./refusals.ts";

/** Called with the number of dropped messages, and the broker's answer if it refused one. */
export type OnDrop = (count: number, reason: DropReason, error?: AgentError) => void;

/** The maximum number of unacknowledged messages: enough for a slow connection, few enough to resend after its loss. */
const WINDOW = 64;
/**
 * An MQTT 3.1.1 broker closes the session over a message that it refuses. After this many sessions the message is
 * dropped, so that later ones get through.
 */
const MOST_STALLS = 5;

/**
 * Messages from `publish` to PUBACK: queued while there is no session, sent in order, and resent on the next session if
 * one ended before their acknowledgement (at least once, MQTT 4.3.2).
 */
export class Outbox {
  readonly #queue: OfflineQueue;
  readonly #inFlight = new Set<Outgoing>();
  readonly #ids = new PacketIds();
  readonly #runtime: Runtime;
  readonly #onDrop: OnDrop;
  readonly #waiting: Array<() => void> = [];
  readonly #clearing = new AbortController();
  #session: Session | undefined;
  #progressed = false;
  /** Messages that the broker did not accept for now; nothing else is sent until it does. */
  readonly #postponed: Outgoing[] = [];
  #pauses = 0;
  dropped = 0;
  acknowledged = 0;

  constructor(limits: QueueLimits, runtime: Runtime, onDrop: OnDrop) {
    this.#queue = new OfflineQueue(limits);
    this.#runtime = runtime;
    this.#onDrop = onDrop;
  }

  /** The number of messages not yet acknowledged. */
  get length(): number {
    return this.#queue.length + this.#inFlight.size + this.#postponed.length;
  }

  /**
   * Queues a message; the promise resolves on its PUBACK and rejects with `dropped`, `closed` or the broker's refusal.
   */
  add(topic: string, payload: Buffer, retain: boolean): Promise<void> {
    const { promise, resolve, reject } = withResolvers<void>();
    // Without this, a dropped message whose publisher does not await it would end the process (unhandled rejection).
    promise.catch(() => {});
    this.#drop(this.#queue.push({ topic, payload, retain, stalls: 0, resolve, reject }), "queue_full");
    this.#pump();
    return promise;
  }

  /** Sends on `session` from now on, starting with the messages that the previous session left unacknowledged. */
  attach(session: Session): void {
    this.#requeue(false);
    // A new session at the broker knows none of the packet ids.
    if (!session.isContinued) this.#queue.each((message) => this.#forget(message));
    this.#session = session;
    this.#progressed = false;
    this.#pump();
  }

  /** Stops sending on `session`, which has ended. */
  detach(session: Session, end: SessionEnd): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    // MQTT 5 says whether a message was the reason; MQTT 3.1.1 does not.
    const isBlamed = session.version === "3.1.1" || (end.code !== undefined && BLAMES_PACKET.has(end.code));
    this.#requeue(isBlamed && !this.#progressed);
  }

  /** Resolves when every message is acknowledged or dropped. */
  drained(): Promise<void> {
    return this.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Rejects every message with `error`. */
  clear(error: AgentError): void {
    this.#session = undefined;
    this.#clearing.abort();
    this.#requeue(false);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next.reject(error);
    this.#resolveDrained();
  }

  #pump(): void {
    const session = this.#session;
    if (session === undefined) return;
    const window = Math.min(WINDOW, session.receiveMaximum);
    while (this.#postponed.length === 0 && this.#session === session && this.#inFlight.size < window) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      this.#send(session, message);
    }
  }

  #send(session: Session, message: Outgoing): void {
    const dup = message.packetId !== undefined;
    message.packetId ??= this.#ids.take();
    const { packetId, topic, payload, retain } = message;
    this.#inFlight.add(message);
    const refused = session.publish({ packetId, dup, topic, payload, retain }, (code, reasonString) => {
      // A late PUBACK of an ended session: the message is queued again and will be acknowledged again.
      if (this.#session !== session) return;
      this.#acknowledge(message, code, reasonString);
      this.#pump();
    });
    if (refused !== 0) this.#acknowledge(message, refused, undefined);
  }

  #acknowledge(message: Outgoing, code: number, reasonString: string | undefined): void {
    if (!this.#inFlight.delete(message)) return;
    this.#forget(message);
    this.#progressed = true;
    if (isRetried(message, code)) {
      this.#postpone(message);
      return;
    }
    this.#pauses = 0;
    if (isFailure(code)) this.#drop([message], "refused", refusedError(message, code, reasonString));
    else {
      this.acknowledged += 1;
      message.resolve();
    }
    this.#resolveDrained();
  }

  /** Pauses sending, and resumes with this message. */
  #postpone(message: Outgoing): void {
    if (this.#postponed.push(message) > 1) return;
    const pause = delayMs(BUSY, this.#pauses++, this.#runtime.random());
    void this.#runtime.sleep(pause, this.#clearing.signal).then(() => {
      this.#drop(this.#queue.putBack(this.#postponed.splice(0)), "queue_full");
      this.#pump();
    });
  }

  #requeue(stalled: boolean): void {
    const messages = [...this.#postponed.splice(0), ...this.#inFlight];
    this.#inFlight.clear();
    const oldest = messages[0];
    if (stalled && oldest !== undefined && ++oldest.stalls >= MOST_STALLS) {
      this.#drop([oldest], "unacknowledged");
      messages.shift();
    }
    this.#drop(this.#queue.putBack(messages), "queue_full");
  }

  #drop(messages: Outgoing[], reason: DropReason, error?: AgentError): void {
    if (messages.length === 0) return;
    this.dropped += messages.length;
    for (const message of messages) {
      this.#forget(message);
      message.reject(error ?? droppedError(reason));
    }
    this.#onDrop(messages.length, reason, error);
    this.#resolveDrained();
  }

  #forget(message: Outgoing): void {
    if (message.packetId !== undefined) this.#ids.free(message.packetId);
    message.packetId = undefined;
  }

  #resolveDrained(): void {
    if (this.length === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
