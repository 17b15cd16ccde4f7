import { withTimeout } from "../../../lib/timeouts.ts";

type Done = (error?: Error) => void;

interface Entry {
  store: () => Promise<void>;
  done: Done;
  state: "waiting" | "running" | "failed" | "stored";
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * The messages of one client between their arrival and their acknowledgement. They are stored concurrently, in batches with those
 * of other clients, and acknowledged in the order of arrival. While storing fails (the database is unreachable) nothing is
 * acknowledged and no further message is begun; the waiting ones are retried one by one, so the session outlasts the outage.
 */
export class AckQueue {
  #queue: Entry[] = [];
  #head = 0;
  #idle: (() => void)[] = [];
  #recovering = false;
  #abandoned = false;
  #wake: (() => void) | undefined;

  get size(): number {
    return this.#queue.length - this.#head;
  }

  /**
   * @param store stores the message; called again when it rejects
   * @param done acknowledges the message, or says that it was not stored
   */
  add(store: () => Promise<void>, done: Done): void {
    const entry: Entry = { store, done, state: "waiting" };
    this.#queue.push(entry);
    if (!this.#recovering) this.#begin(entry);
  }

  /** Resolves when no message is under way. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The session has ended: a message that is being stored is still settled, none is retried. */
  abandon(): void {
    this.#abandoned = true;
    this.#wake?.();
    this.#settle();
  }

  #begin(entry: Entry): void {
    entry.state = "running";
    entry.store().then(
      () => {
        entry.state = "stored";
        this.#settle();
      },
      () => {
        entry.state = "failed";
        this.#settle();
      },
    );
  }

  #settle(): void {
    if (this.#recovering) return;
    for (; this.#head < this.#queue.length; this.#head++) {
      const { state, done } = this.#queue[this.#head]!;
      if (state === "running") return;
      if (state !== "stored" && !this.#abandoned) return void this.#recover();
      done(state === "stored" ? undefined : new Error("the message was not stored"));
    }
    this.#queue = [];
    this.#head = 0;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Stores the queue one by one until it is empty, or the session has ended. */
  async #recover(): Promise<void> {
    this.#recovering = true;
    let pause = FIRST_RETRY_MS;
    while (this.#head < this.#queue.length && !this.#abandoned) {
      const entry = this.#queue[this.#head]!;
      if (entry.state === "waiting") await this.#retry(entry);
      if (entry.state === "stored") {
        this.#head++;
        pause = FIRST_RETRY_MS;
        entry.done();
        continue;
      }
      // It failed, or it was begun before the failure and is still under way: then wait for its own outcome.
      await this.#sleep(pause);
      pause = Math.min(pause * 2, LAST_RETRY_MS);
      if (entry.state === "failed") entry.state = "waiting";
    }
    this.#recovering = false;
    this.#settle();
  }

  async #retry(entry: Entry): Promise<void> {
    entry.state = "running";
    entry.state = await entry.store().then(
      () => "stored" as const,
      () => "failed" as const,
    );
  }

  #sleep(ms: number): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return withTimeout(woken, ms, () => undefined);
  }
}
