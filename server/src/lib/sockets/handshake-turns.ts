import type { Socket } from "node:net";
import type { Server } from "node:tls";
import { addressBlock } from "../address.ts";
import type { Clock } from "../clock.ts";
import { UniqueQueue } from "../collections/unique-queue.ts";
import { PacedTurns } from "../time-share/paced-turns.ts";

type Start = (raw: Socket) => void;

/**
 * Starting handshakes gets all idle time of the event loop, and a quarter of its time when the loop has other work;
 * completing them costs as much again.
 */
const PACE = { share: 0.25, burstMs: Number.POSITIVE_INFINITY, turnMs: 1, mostSteps: 1 };

/**
 * Starts a TLS handshake once its first bytes have arrived, at most one per turn of the event loop, with address blocks
 * taking turns. An acknowledgement waits for some ten turns, so a flood of handshakes delays other work, and other
 * clients' handshakes, by milliseconds only.
 *
 * @param server a server without other listeners for its connections; listeners added later run when a connection is
 *   accepted
 * @param firstBytesMs how long a client may stay silent before its connection is closed
 */
export function takeHandshakesInTurns(server: Server, firstBytesMs: number, clock: Pick<Clock, "monotonicMs">): void {
  const listeners = server.listeners("connection");
  const turns = new HandshakeTurns(clock, (raw) => {
    raw.setTimeout(0);
    for (const listener of listeners) listener.call(server, raw);
  });
  server.removeAllListeners("connection");
  server.on("connection", (raw: Socket) => {
    raw.setTimeout(firstBytesMs, () => raw.destroy());
    raw.on("error", ignore);
    const onReadable = () => {
      raw.off("readable", onReadable);
      if (raw.readableLength > 0) turns.add(raw);
      else raw.destroy();
    };
    raw.on("readable", onReadable);
    // If a PROXY header was read, the first bytes of TLS may have arrived with it.
    if (raw.readableLength > 0) onReadable();
  });
}

/** The connections whose handshake is due. */
export class HandshakeTurns {
  readonly #start: Start;
  readonly #ready = new Map<string, Socket[]>();
  readonly #blocks = new UniqueQueue<string>();
  readonly #turns: PacedTurns;

  constructor(clock: Pick<Clock, "monotonicMs">, start: Start) {
    this.#start = start;
    this.#turns = new PacedTurns(PACE, clock, () => this.#startNext());
  }

  /** Starts the handshake when it is its turn. */
  add(raw: Socket): void {
    const block = addressBlock(raw.remoteAddress ?? "");
    const ready = this.#ready.get(block);
    if (ready) ready.push(raw);
    else this.#ready.set(block, [raw]);
    this.#blocks.add(block);
    this.#turns.plan();
  }

  /** @returns whether others may be due */
  #startNext(): boolean {
    for (;;) {
      const block = this.#blocks.take();
      if (block === undefined) return false;
      const ready = this.#ready.get(block)!;
      const raw = ready.shift()!;
      if (ready.length > 0) this.#blocks.add(block);
      else this.#ready.delete(block);
      if (raw.destroyed) continue;
      this.#start(raw);
      return this.#blocks.size > 0;
    }
  }
}

/** Ignores the error of a failed socket; what matters is that the socket closes. */
function ignore(): void {}
