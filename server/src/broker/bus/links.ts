import type { Socket } from "node:net";
import type { InterestLink } from "./announcements.ts";
import { FrameSplitter } from "./frame-fields.ts";

/** The frames for one connection to another process, collected during a turn of the event loop. */
class Pending {
  readonly socket: Socket;
  #frames: Buffer[] = [];
  #bytes = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** The bytes that the operating system has not taken. */
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

/**
 * The link to a process that this one sends messages to, on a connection opened here. The other process sends its
 * interest on it.
 */
export class OutLink {
  readonly name: string;
  readonly #pending: Pending;
  readonly #maxBytes: number;
  #messages = 0;

  /** @param maxBytes the limit on bytes that wait for a process that does not read */
  constructor(name: string, socket: Socket, maxBytes: number) {
    this.name = name;
    this.#pending = new Pending(socket);
    this.#maxBytes = maxBytes;
  }

  /** Queues a message. @returns false if too many bytes wait; QoS 0 messages may use half of the limit */
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

  /** Sends the queued frames. @returns how many messages were among them */
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

/**
 * The link from a process that sends messages to this one, on a connection opened there. This process sends its
 * interest on it.
 */
export class InLink implements InterestLink {
  /** The number up to which the other process knows this one's changes of interest. */
  known = -1;
  readonly #pending: Pending;
  readonly #maxBytes: number;

  constructor(socket: Socket, maxBytes: number) {
    this.#pending = new Pending(socket);
    this.#maxBytes = maxBytes;
  }

  /**
   * Queues a change. A process that does not read loses its connection, and receives all interest when it reconnects.
   */
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

/** Reads frames from a connection, and closes it if the other end sends garbage. */
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
  // A failed socket also closes, which is handled.
  socket.on("error", () => undefined);
}
