import { withTimeout } from "../../../lib/timeouts.ts";

type Done = (error?: Error) => void;

interface Entry {
  work: () => Promise<void>;
  done: Done;
  state: "waiting" | "running" | "failed" | "stored";
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * Stores the messages of one client and answers in the order of asking: they are stored side by side, in batches with
 * those of others, yet their acknowledgements leave in order. While storing fails (the database is away) nothing is
 * answered and nothing new is begun; the messages are tried again one after the other, so the session outlives the outage.
 */
export class InOrder {
  #queue: Entry[] = [];
  #head = 0;
  #idle: (() => void)[] = [];
  #recovering = false;
  #abandoned = false;
  #wake: (() => void) | undefined;

  get size(): number {
    return this.#queue.length - this.#head;
  }

  /** @param work hands the message over; called again when it rejects */
  add(work: () => Promise<void>, done: Done): void {
    const entry: Entry = { work, done, state: "waiting" };
    this.#queue.push(entry);
    if (!this.#recovering) this.#begin(entry);
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The session is over: what is being stored is answered for, nothing is tried again. */
  abandon(): void {
    this.#abandoned = true;
    this.#wake?.();
    this.#settle();
  }

  #begin(entry: Entry): void {
    entry.state = "running";
    entry.work().then(
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

  /** Goes through the queue one by one until it is empty, or the session is over. */
  async #recover(): Promise<void> {
    this.#recovering = true;
    let pause = FIRST_RETRY_MS;
    while (this.#head < this.#queue.length && !this.#abandoned) {
      const entry = this.#queue[this.#head]!;
      if (entry.state === "waiting") await this.#tryAgain(entry);
      if (entry.state === "stored") {
        this.#head++;
        pause = FIRST_RETRY_MS;
        entry.done();
        continue;
      }
      // Failed; or begun before the outage and still under way, then its own end is waited for.
      await this.#sleep(pause);
      pause = Math.min(pause * 2, LAST_RETRY_MS);
      if (entry.state === "failed") entry.state = "waiting";
    }
    this.#recovering = false;
    this.#settle();
  }

  async #tryAgain(entry: Entry): Promise<void> {
    entry.state = "running";
    entry.state = await entry.work().then(
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
