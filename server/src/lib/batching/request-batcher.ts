import { setTimeout as sleep } from "node:timers/promises";
import { withTimeout } from "../timeouts.ts";

/**
 * The time between the starts of two batches of connects: a statement costs server and database as much as some ten of
 * its rows.
 */
export const CONNECTS_APART_MS = 20;

export interface RequestBatcherOptions<Request, Answer> {
  /** Requests of one batch at most: with more, the first would wait for the last one's answer. */
  most: number;
  /**
   * A batch that is not full begins no sooner than this after the one before began. A request that comes later than
   * that never waits.
   */
  apartMs?: number;
  /**
   * Requests that have a key in common are run one after the other, in the order of the calls; others do not wait for
   * them.
   */
  keysOf?(request: Request): readonly string[];
  /** @returns an answer to each request, in their order */
  run(requests: Request[]): Promise<Answer[]>;
  /**
   * Whether an error concerns every request. If not, each of the batch is run again alone, and the one that is at fault
   * fails.
   */
  failsWholeBatch(error: unknown): boolean;
  /** Whether an error of a whole batch spares the requests that wait; by default they fail with it. */
  sparesWaiting?: boolean;
  /** A batch that runs for longer no longer delays the next one. By default, batches never overlap. */
  delaysAtMostMs?: number;
}

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

const NONE: readonly string[] = [];

/**
 * Answers requests in batches, one at a time: those of one turn of the event loop and, under load, those that arrive
 * while a batch is run. An error that concerns every request fails those that wait, too: they have waited for as long
 * as the batch, and would wait as long again.
 */
export class RequestBatcher<Request, Answer> {
  readonly #options: RequestBatcherOptions<Request, Answer>;
  #waiting: Waiting<Request, Answer>[] = [];
  #isRunning = false;
  #begunAt = Number.NEGATIVE_INFINITY;

  constructor(options: RequestBatcherOptions<Request, Answer>) {
    this.#options = options;
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (!this.#isRunning) void this.#runWaiting();
    });
  }

  async #runWaiting(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      // Timers count from the beginning of their turn of the event loop: on a busy machine they end early.
      for (let leftMs = this.#leftMs(); leftMs > 0; leftMs = this.#leftMs()) await sleep(leftMs);
      this.#begunAt = performance.now();
      await this.#runInTime(this.#takeBatch());
    }
    this.#isRunning = false;
  }

  #runInTime(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    const { delaysAtMostMs } = this.#options;
    const running = this.#run(batch);
    return delaysAtMostMs === undefined ? running : withTimeout(running, delaysAtMostMs, () => undefined);
  }

  /** Returns the time that the next batch must still wait. */
  #leftMs(): number {
    const { most, apartMs = 0 } = this.#options;
    return this.#waiting.length < most ? this.#begunAt + apartMs - performance.now() : 0;
  }

  #takeBatch(): Waiting<Request, Answer>[] {
    const { most, keysOf } = this.#options;
    const keys = new Set<string>();
    const batch: Waiting<Request, Answer>[] = [];
    this.#waiting = this.#waiting.filter((each) => {
      if (batch.length === most) return true;
      const own = keysOf?.(each.request) ?? NONE;
      const isFree = !own.some((key) => keys.has(key));
      for (const key of own) keys.add(key);
      if (!isFree) return true;
      batch.push(each);
      return false;
    });
    return batch;
  }

  async #run(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.#options.run(batch.map(({ request }) => request));
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at]!);
    } catch (error) {
      if (this.#options.failsWholeBatch(error)) {
        const waiting = this.#options.sparesWaiting ? [] : this.#waiting.splice(0);
        for (const { reject } of [...batch, ...waiting]) reject(error);
      } else if (batch.length === 1) batch[0]!.reject(error);
      else for (const each of batch) await this.#run([each]);
    }
  }
}
