import { connect, type Socket } from "node:net";

/** A client over TCP on loopback that sends arbitrary bytes. */
export class TcpClient {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #isEnded = false;
  #onChange = () => {};

  constructor(port: number) {
    this.#socket = connect({ host: "127.0.0.1", port });
    this.#socket.on("error", () => undefined);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#onChange();
    });
    this.#socket.on("close", () => {
      this.#isEnded = true;
      this.#onChange();
    });
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Returns the next `count` bytes that it receives, or fewer if the connection has ended. */
  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  close(): void {
    this.#socket.destroy();
  }
}
