import { EventEmitter } from "node:events";
import type { Engine } from "./engine.ts";
import { joinedBytes } from "./joined-bytes.ts";

/** AuthenticationOk and ReadyForQuery: the answer to a startup message. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** The type of the message with which a client ends. */
const TERMINATE = 0x58;
/** Removes what an earlier client may have left in the engine's one session. */
const RESET = simpleQuery("ROLLBACK; DEALLOCATE ALL");

/**
 * The part of a socket that pg's client uses, on top of an engine instead of a server. The writes between `cork` and
 * `uncork` form one call of the engine. Startup is answered here, since an engine has one session and no
 * authentication.
 */
export class WireStream extends EventEmitter {
  writable = true;
  readonly #engine: Engine;
  #started = false;
  #corked: Uint8Array[] | undefined;

  constructor(engine: Engine) {
    super();
    this.#engine = engine;
  }

  connect(): void {
    this.#engine.run(RESET.slice()).then(
      () => this.emit("connect"),
      (error) => this.destroy(error),
    );
  }

  cork(): void {
    this.#corked ??= [];
  }

  uncork(): void {
    const pieces = this.#corked;
    this.#corked = undefined;
    if (pieces !== undefined && pieces.length > 0) this.#send(pieces);
  }

  write(bytes: Uint8Array, done?: () => void): boolean {
    if (bytes[0] === TERMINATE) done?.();
    else if (this.#corked) this.#corked.push(bytes);
    else this.#send([bytes]);
    return true;
  }

  end(): void {
    this.destroy();
  }

  destroy(error?: Error): void {
    if (!this.writable) return;
    this.writable = false;
    setImmediate(() => {
      if (error) this.emit("error", error);
      this.emit("close");
    });
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  #send(pieces: readonly Uint8Array[]): void {
    if (!this.#started) {
      this.#started = true;
      setImmediate(() => this.emit("data", WELCOME));
      return;
    }
    this.#engine.run(joinedBytes(pieces)).then(
      (answer) => this.emit("data", Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)),
      (error) => this.destroy(error),
    );
  }
}

/** Returns a message of the simple query protocol. */
function simpleQuery(text: string): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(text.length + 6);
  new DataView(message.buffer).setUint32(1, text.length + 5);
  message[0] = 0x51;
  new TextEncoder().encodeInto(text, message.subarray(5));
  return message;
}
