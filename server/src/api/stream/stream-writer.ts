import type { ServerResponse } from "node:http";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import { COMMENT, type Frame, frameText } from "./frames.ts";

/** Shorter than the time after which the listener closes a connection that is idle during a request. */
const COMMENT_MS = 15_000;

/**
 * The longest that a client may read nothing while more is waiting, before it is closed: a feed that waits for it could
 * not be stopped.
 */
const DRAIN_MS = 5_000;

export interface StreamPace {
  mostUnsent?: number;
  commentMs?: number;
  drainMs?: number;
}

/** Writes an event stream to a client no faster than the client reads. */
export class StreamWriter {
  /** Resolves when the connection has closed, on either side. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #mostUnsent: number;
  readonly #drainMs: number;

  constructor(response: ServerResponse, pace: StreamPace = {}) {
    const { mostUnsent = DEFAULT_LIMITS.streamUnsentBytes, commentMs = COMMENT_MS, drainMs = DRAIN_MS } = pace;
    this.#response = response;
    this.#mostUnsent = mostUnsent;
    this.#drainMs = drainMs;
    const comments = setInterval(() => this.#comment(), commentMs).unref();
    this.closed = new Promise((resolve) => {
      const closed = () => {
        clearInterval(comments);
        resolve();
      };
      // There is no event for a client that left before.
      if (response.destroyed) closed();
      else response.once("close", closed);
    });
  }

  /** Resolves when the client has read enough for more to be written, or has gone. */
  async write(frames: readonly Frame[]): Promise<void> {
    const response = this.#response;
    if (!this.#isOpen()) return;
    const room = response.write(frames.map(frameText).join(""));
    if (room) return;
    if (response.writableLength > this.#mostUnsent) {
      response.destroy();
      return;
    }
    const drained = Promise.withResolvers<void>();
    response.once("drain", drained.resolve);
    await withTimeout(Promise.race([drained.promise, this.closed]), this.#drainMs, () => void response.destroy());
    response.off("drain", drained.resolve);
  }

  /** Sends the reason for the stream's end, and ends it. */
  end(reason: string): void {
    if (this.#isOpen()) this.#response.end(frameText({ event: "end", data: { reason } }));
  }

  #comment(): void {
    if (this.#isOpen()) this.#response.write(COMMENT);
  }

  #isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }
}
