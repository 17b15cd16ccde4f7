import type { Socket } from "node:net";
import type { Server } from "node:tls";
import { addressBlock } from "../address.ts";
import { UniqueQueue } from "../collections/unique-queue.ts";

type Start = (raw: Socket) => void;

/**
 * Starts a TLS handshake once its first bytes have arrived, at most one per turn of the event loop, with address blocks
 * taking turns. It takes about 0.5 ms, and an acknowledgement waits for some ten turns, so a flood of handshakes delays
 * other work, and other clients' handshakes, by milliseconds only.
 *
 * @param server a server without other listeners for its connections; listeners added later run when a connection is
 *   accepted
 * @param firstBytesMs how long a client may stay silent before its connection is closed
 */
export function takeHandshakesInTurns(server: Server, firstBytesMs: number): void {
  const listeners = server.listeners("connection");
  const turns = new HandshakeTurns((raw) => {
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
  #isTurnTaken = false;

  constructor(start: Start) {
    this.#start = start;
  }

  /** Starts the handshake now, or in a later turn. */
  add(raw: Socket): void {
    if (!this.#isTurnTaken) {
      this.#begin(raw);
      return;
    }
    const block = addressBlock(raw.remoteAddress ?? "");
    const ready = this.#ready.get(block);
    if (ready) ready.push(raw);
    else this.#ready.set(block, [raw]);
    this.#blocks.add(block);
  }

  #begin(raw: Socket): void {
    if (raw.destroyed) return;
    this.#isTurnTaken = true;
    setImmediate(() => this.#nextTurn());
    this.#start(raw);
  }

  #nextTurn(): void {
    this.#isTurnTaken = false;
    while (!this.#isTurnTaken) {
      const block = this.#blocks.take();
      if (block === undefined) return;
      const ready = this.#ready.get(block)!;
      const raw = ready.shift()!;
      if (ready.length > 0) this.#blocks.add(block);
      else this.#ready.delete(block);
      this.#begin(raw);
    }
  }
}

/** Ignores the error of a failed socket; what matters is that the socket closes. */
function ignore(): void {}
