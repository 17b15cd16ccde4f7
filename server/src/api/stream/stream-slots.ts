import type { Limits } from "../../lib/limits/limits.ts";
import { Refusal } from "../problem.ts";

/** A stream that ends gives its place back; a client may try again soon. */
const RETRY_SECONDS = 5;

/** Counts the open streams of this process and of each session. */
export class StreamSlots {
  readonly #limits: Pick<Limits, "streams" | "streamsOfSession">;
  readonly #ofSessions = new Map<string, number>();
  #open = 0;
  #empty = Promise.withResolvers<void>();

  constructor(limits: Pick<Limits, "streams" | "streamsOfSession">) {
    this.#limits = limits;
  }

  /** @returns a function that gives the place back. @throws Refusal rate_limited */
  take(sessionId: string): () => void {
    const { streams, streamsOfSession } = this.#limits;
    const ofSession = this.#ofSessions.get(sessionId) ?? 0;
    if (ofSession >= streamsOfSession) throw tooMany(`a session has at most ${streamsOfSession} live streams`);
    if (this.#open >= streams) throw tooMany("too many live streams are open");
    this.#open++;
    this.#ofSessions.set(sessionId, ofSession + 1);
    return () => {
      if (--this.#open === 0) {
        this.#empty.resolve();
        this.#empty = Promise.withResolvers();
      }
      const left = this.#ofSessions.get(sessionId)! - 1;
      if (left === 0) this.#ofSessions.delete(sessionId);
      else this.#ofSessions.set(sessionId, left);
    };
  }

  /** Resolves when no stream is open. */
  async whenEmpty(): Promise<void> {
    if (this.#open > 0) await this.#empty.promise;
  }
}

function tooMany(message: string): Refusal {
  return new Refusal("rate_limited", message, { extra: { retryAfterSeconds: RETRY_SECONDS } });
}
