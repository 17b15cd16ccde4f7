import type { Socket } from "node:net";
import type { InterestLink } from "./announcements.ts";
import { FrameSplitter } from "./frame-fields.ts";

/** What is sent on one connection to another process, collected in a turn of the event loop. */
class Pending {
  readonly socket: Socket;
  #frames: Buffer[] = [];
  #bytes = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Bytes that the system has not taken. */
  get waiting(): number {
    return this.#bytes + this.socket.writableLength;
  }

  push(frame: Buffer): void {
    this.#frames.push(frame);
    this.#bytes += frame.length;
  }

  flush(): void {
    const frames = this.#frames;
    if (frames.length === 0) return;
    this.#frames = [];
    this.#bytes = 0;
    if (!this.socket.destroyed) this.socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames));
  }
}

/** To a process that this one sends messages to, on a connection that this one has opened; the other one sends its interest on it. */
export class OutLink {
  readonly name: string;
  readonly #pending: Pending;
  readonly #maxBytes: number;
  #messages = 0;

  /** @param maxBytes that wait for a process which does not read */
  constructor(name: string, socket: Socket, maxBytes: number) {
    this.name = name;
    this.#pending = new Pending(socket);
    this.#maxBytes = maxBytes;
  }

  /** Queues a message. @returns false where too much waits: messages of QoS 0 have half of the room */
  message(frame: Buffer, qos: number): boolean {
    const room = qos === 0 ? this.#maxBytes / 2 : this.#maxBytes;
    if (this.#pending.waiting + frame.length > room) return false;
    this.#pending.push(frame);
    this.#messages++;
    return true;
  }

  control(frame: Buffer): void {
    this.#pending.push(frame);
  }

  /** @returns how many messages were sent */
  flush(): number {
    this.#pending.flush();
    const sent = this.#messages;
    this.#messages = 0;
    return sent;
  }

  close(): void {
    this.#pending.flush();
    this.#pending.socket.end();
  }
}

/** From a process that sends messages to this one, on a connection that it has opened; this one sends its interest on it. */
export class InLink implements InterestLink {
  /** All interest of this process up to this number is known to the other one. */
  known = -1;
  readonly #pending: Pending;
  readonly #maxBytes: number;

  constructor(socket: Socket, maxBytes: number) {
    this.#pending = new Pending(socket);
    this.#maxBytes = maxBytes;
  }

  /** Queues a change. A process that does not read loses its connection, and gets the whole interest with its next one. */
  control(frame: Buffer): void {
    if (this.#pending.waiting > this.#maxBytes) this.#pending.socket.destroy();
    else this.#pending.push(frame);
  }

  flush(): void {
    this.#pending.flush();
  }

  destroy(): void {
    this.#pending.socket.destroy();
  }
}

/** Reads frames from a connection; one that sends garbage is closed. */
export function readFrames(socket: Socket, onFrame: (frame: Buffer) => void, onGarbage: (error: Error) => void): void {
  const splitter = new FrameSplitter();
  socket.on("data", (chunk: Buffer) => {
    try {
      splitter.feed(chunk, onFrame);
    } catch (error) {
      socket.destroy();
      onGarbage(error as Error);
    }
  });
  // A failed socket closes, which is what counts.
  socket.on("error", () => undefined);
}
