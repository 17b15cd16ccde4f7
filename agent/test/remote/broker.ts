import { createServer, type Server, type TLSSocket } from "node:tls";
import { generate, type IPublishPacket, parser } from "mqtt-packet";

export interface RemoteMessage {
  clientId: string;
  topic: string;
  payload: string;
  serial: string;
}

/** A remote MQTT broker, small enough to misbehave on request: refuses, closes, keeps acknowledgements to itself. */
export class RemoteBroker {
  readonly messages: RemoteMessage[] = [];
  readonly connects: Array<{ clientId: string; serial: string; clean: boolean }> = [];
  /** Decides on a CONNECT; false closes without CONNACK, a number is its return code. */
  accept: (clientId: string, serial: string) => boolean | number = () => true;
  /** Decides on a PUBLISH: false closes the connection, "silent" acknowledges nothing. */
  take: (message: RemoteMessage) => boolean | "silent" = () => true;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Map<string, TLSSocket>();

  constructor(tls: { cert: string; key: string; clientCa: string }) {
    const { cert, key, clientCa } = tls;
    this.#server = createServer({ cert, key, ca: clientCa, requestCert: true }, (socket) => this.#serve(socket));
    this.#server.on("tlsClientError", (_error, socket) => socket.destroy());
  }

  /** Listens on a free port, or again on `port`; answers the port. */
  listen(port = 0): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(port, "127.0.0.1", () => resolve((this.#server.address() as { port: number }).port));
    });
  }

  /** Drops the live session of `clientId`. */
  drop(clientId: string): void {
    this.#sessions.get(clientId)?.destroy();
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: TLSSocket): void {
    this.#sockets.add(socket);
    const serial = socket.getPeerCertificate().serialNumber?.toLowerCase() ?? "";
    let clientId = "";
    const packets = parser({ protocolVersion: 4 });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (this.#sessions.get(clientId) === socket) this.#sessions.delete(clientId);
    });
    socket.on("data", (chunk) => packets.parse(chunk));
    packets.on("packet", (packet) => {
      if (packet.cmd === "connect") {
        clientId = packet.clientId;
        this.#connect(socket, clientId, serial, packet.clean ?? false);
      } else if (packet.cmd === "publish") {
        this.#publish(socket, packet, { clientId, serial });
      } else if (packet.cmd === "pingreq") socket.write(generate({ cmd: "pingresp" }));
      else socket.end();
    });
  }

  #connect(socket: TLSSocket, clientId: string, serial: string, clean: boolean): void {
    this.connects.push({ clientId, serial, clean });
    const verdict = this.accept(clientId, serial);
    if (verdict === false) return void socket.destroy();
    const returnCode = verdict === true ? 0 : verdict;
    socket.write(generate({ cmd: "connack", returnCode, sessionPresent: false }));
    if (returnCode !== 0) return void socket.end();
    this.#sessions.get(clientId)?.destroy();
    this.#sessions.set(clientId, socket);
  }

  #publish(socket: TLSSocket, packet: IPublishPacket, from: { clientId: string; serial: string }): void {
    const message = { ...from, topic: packet.topic, payload: packet.payload.toString() };
    const verdict = this.take(message);
    if (verdict === false) return void socket.destroy();
    this.messages.push(message);
    if (verdict === true && packet.qos === 1) socket.write(generate({ cmd: "puback", messageId: packet.messageId! }));
  }
}
