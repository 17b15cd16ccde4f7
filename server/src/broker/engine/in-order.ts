import { withTimeout } from "../../lib/timeouts.ts";

/** A message between its arrival and its acknowledgement. */
export interface Ordered {
  state: "waiting" | "running" | "failed" | "stored";
}

export interface OrderedOwner<M extends Ordered> {
  /** Stores a message; called again if it rejects. */
  store(message: M): Promise<unknown>;
  /**
   * Whether a stored message may be finished now. Otherwise it is stored again, because the set of stored sessions has
   * changed.
   */
  isComplete(message: M): boolean;
  /** Acknowledges a message, or drops one that was not stored. */
  finished(message: M, isStored: boolean): void;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * The messages of one client between their arrival and their acknowledgement. They are stored concurrently, in batches
 * with those of other clients, and finished in order of arrival [MQTT-4.6.0-2, MQTT-4.6.0-3]. While storing fails (the
 * database is unreachable), no message is acknowledged and none is started. The first one is retried until it is
 * stored, then the others are started again. The session thus outlasts the outage, and no message is stored without its
 * predecessors.
 */
export class InOrder<M extends Ordered> {
  readonly #owner: OrderedOwner<M>;
  #queue: M[] = [];
  #head = 0;
  #idle: (() => void)[] = [];
  #recovering = false;
  /** Whether storing a message has failed: no other is started until the first one is stored. */
  #hasFailed = false;
  /** Whether a message was dropped. */
  #hasDropped = false;
  #abandoned = false;
  #wake: (() => void) | undefined;

  constructor(owner: OrderedOwner<M>) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#queue.length - this.#head;
  }

  /** Adds a message and starts storing it unless storing has failed. @param message in state `waiting` */
  add(message: M): void {
    this.#queue.push(message);
    if (!this.#hasFailed) void this.#begin(message);
  }

  /** Resolves when no message is in flight. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /**
   * Ends the queue with its session: messages being stored are still finished, none is retried, and all behind an
   * unstored one are dropped.
   */
  abandon(): void {
    this.#abandoned = true;
    this.#wake?.();
    this.#finish();
  }

  async #begin(message: M): Promise<void> {
    await this.#store(message);
    this.#finish();
  }

  async #store(message: M): Promise<void> {
    message.state = "running";
    try {
      await this.#owner.store(message);
      message.state = "stored";
    } catch {
      message.state = "failed";
      this.#hasFailed = true;
    }
  }

  #finish(): void {
    if (this.#recovering) return;
    while (this.#head < this.#queue.length) {
      const message = this.#queue[this.#head]!;
      if (message.state === "running") return;
      if (message.state !== "stored" && !this.#abandoned) {
        void this.#recover();
        return;
      }
      if (message.state === "stored" && !this.#mayFinish(message)) {
        void this.#begin(message);
        return;
      }
      this.#head++;
      this.#hasDropped ||= message.state !== "stored";
      this.#owner.finished(message, !this.#hasDropped);
    }
    this.#queue = [];
    this.#head = 0;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Retries the first message until it is stored or the session has ended. */
  async #recover(): Promise<void> {
    this.#recovering = true;
    let pause = FIRST_RETRY_MS;
    while (this.#head < this.#queue.length && !this.#abandoned) {
      const message = this.#queue[this.#head]!;
      if (message.state === "waiting") await this.#store(message);
      if (message.state === "stored") {
        if (!this.#mayFinish(message)) {
          message.state = "waiting";
          continue;
        }
        break;
      }
      // It failed, or it was started before the failure and is still in flight: wait for its own outcome.
      await this.#sleep(pause);
      pause = Math.min(pause * 2, LAST_RETRY_MS);
      if (message.state === "failed") message.state = "waiting";
    }
    this.#recovering = false;
    this.#hasFailed = false;
    if (!this.#abandoned) this.#beginAgain();
    this.#finish();
  }

  /** Starts the waiting messages in order. Messages started before the failure and still in flight come first. */
  #beginAgain(): void {
    for (const message of this.#queue.slice(this.#head)) {
      if (message.state === "waiting" || message.state === "failed") void this.#begin(message);
    }
  }

  #mayFinish(message: M): boolean {
    return this.#abandoned || this.#owner.isComplete(message);
  }

  #sleep(ms: number): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return withTimeout(woken, ms, () => undefined);
  }
}
