import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { generate, type Packet, parser } from "mqtt-packet";

/** The events of a wire. */
export interface WireEvents {
  packet(packet: Packet): void;
  /** The connection has ended; `reached` says whether TCP had connected, so that something answers at the address. */
  ended(end: { reached: boolean; error: Error | undefined }): void;
}

/** The longest that the broker may take to close a connection that the agent has ended. */
const GOODBYE_MS = 5_000;

/** MQTT packets over one TLS connection. */
export class Wire {
  readonly #socket: TLSSocket;
  readonly #codec: { protocolVersion: 4 | 5 };
  #reached = false;
  #error: Error | undefined;
  #goodbye: NodeJS.Timeout | undefined;
  #isCorked = false;

  /** @param longest the maximum bytes of a packet; a longer one ends the connection */
  constructor(tls: ConnectionOptions, protocolVersion: 4 | 5, longest: number, events: WireEvents) {
    this.#codec = { protocolVersion };
    const packets = parser(this.#codec);
    const socket = connect(tls);
    this.#socket = socket.setNoDelay(true);
    socket.once("connect", () => {
      this.#reached = true;
    });
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("data", (chunk) => {
      // The remaining bytes belong to an incomplete packet.
      if (packets.parse(chunk) > longest)
        this.destroy(new Error(`the broker sent a packet of more than ${longest} bytes`));
    });
    socket.once("close", () => {
      clearTimeout(this.#goodbye);
      events.ended({ reached: this.#reached, error: this.#error });
    });
    packets.on("packet", (packet) => {
      if (!socket.destroyed && this.#error === undefined) events.packet(packet);
    });
    packets.on("error", (error: Error) => this.destroy(new Error(`the broker sent invalid MQTT: ${error.message}`)));
  }

  /**
   * Sends a packet; packets of one turn of the event loop share one TLS record. Does nothing once the connection ends.
   */
  send(packet: Packet): void {
    if (!this.#socket.writable) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(generate(packet, this.#codec));
  }

  /** Closes the connection once everything is sent. After an error, later input is ignored. */
  end(error?: Error): void {
    this.#error ??= error;
    if (this.#socket.destroyed) return;
    this.#goodbye ??= setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    this.#socket.end();
  }

  /** Closes the connection immediately. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }
}
