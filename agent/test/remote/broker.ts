import { createServer, type Server, type TLSSocket } from "node:tls";
import {
  generate,
  type IConnackPacket,
  type IConnectPacket,
  type IPublishPacket,
  type Packet,
  parser,
} from "mqtt-packet";

export interface RemoteMessage {
  clientId: string;
  topic: string;
  payload: string;
  serial: string;
}

/** Properties of a CONNACK, as far as tests set them. */
type Properties = NonNullable<IConnackPacket["properties"]>;
/** The outcome of a CONNECT: accepted, closed without CONNACK, or refused with a code and properties. */
export type Admission = boolean | number | { code: number; properties: Properties };

export interface RemoteSession {
  clientId: string;
  version: number;
  socket: TLSSocket;
  send(packet: Packet): void;
  /** Sends a DISCONNECT of MQTT 5, then closes. */
  disconnect(reasonCode: number, properties?: { reasonString?: string; serverReference?: string }): void;
}

/**
 * A remote MQTT broker of 3.1.1 and 5, small enough to misbehave on request: it refuses, closes, or withholds
 * acknowledgements.
 */
export class RemoteBroker {
  readonly messages: RemoteMessage[] = [];
  readonly connects: Array<{ clientId: string; serial: string; clean: boolean; version: number }> = [];
  /** Every packet in order of arrival. */
  readonly packets: Packet[] = [];
  /** Decides on a CONNECT. */
  accept: (clientId: string, serial: string, packet: IConnectPacket) => Admission = () => true;
  /** Decides on a PUBLISH: false closes the connection, "silent" acknowledges nothing, a number is the reason code. */
  take: (message: RemoteMessage) => boolean | "silent" | number = () => true;
  /** The newest supported version. A broker without MQTT 5 answers in MQTT 3.1.1, "unacceptable protocol version". */
  speaks: 4 | 5 = 5;
  /** Properties of the CONNACK that accepts. */
  properties: Properties = {};
  onSession: ((session: RemoteSession) => void) | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Map<string, RemoteSession>();

  constructor(tls: { cert: string; key: string; clientCa: string }) {
    const { cert, key, clientCa } = tls;
    this.#server = createServer({ cert, key, ca: clientCa, requestCert: true }, (socket) => this.#serve(socket));
    this.#server.on("tlsClientError", (_error, socket) => socket.destroy());
  }

  /**
   * Listens on a free port, or again on `port`.
   * @returns the port
   */
  listen(port = 0): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(port, "127.0.0.1", () => resolve((this.#server.address() as { port: number }).port));
    });
  }

  session(clientId: string): RemoteSession | undefined {
    return this.#sessions.get(clientId);
  }

  /** Drops the live session of `clientId`. */
  drop(clientId: string): void {
    this.#sessions.get(clientId)?.socket.destroy();
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: TLSSocket): void {
    this.#sockets.add(socket);
    const serial = socket.getPeerCertificate().serialNumber?.toLowerCase() ?? "";
    const session = newSession(socket);
    // The parser takes the version from the CONNECT.
    const packets = parser({});
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (this.#sessions.get(session.clientId) === session) this.#sessions.delete(session.clientId);
    });
    socket.on("data", (chunk) => packets.parse(chunk));
    packets.on("packet", (packet) => {
      this.packets.push(packet);
      if (packet.cmd === "connect") this.#connect(session, packet, serial);
      else if (packet.cmd === "publish") this.#publish(session, packet, serial);
      else if (packet.cmd === "subscribe") {
        const granted = packet.subscriptions.map(() => 1);
        session.send({ cmd: "suback", messageId: packet.messageId!, granted });
      } else if (packet.cmd === "pingreq") session.send({ cmd: "pingresp" });
      else if (packet.cmd === "disconnect") socket.end();
    });
  }

  #connect(session: RemoteSession, packet: IConnectPacket, serial: string): void {
    const { clientId, clean = false, protocolVersion: version = 4 } = packet;
    session.clientId = clientId;
    session.version = version;
    this.connects.push({ clientId, serial, clean, version });
    if (version > this.speaks) session.version = this.speaks;
    const verdict = version > this.speaks ? 1 : this.accept(clientId, serial, packet);
    if (verdict === false) return void session.socket.destroy();
    const { code, properties } =
      typeof verdict === "object" ? verdict : { code: verdict === true ? 0 : verdict, properties: this.properties };
    const answer = session.version === 5 ? { reasonCode: code, properties } : { returnCode: code };
    session.send({ cmd: "connack", sessionPresent: false, ...answer });
    if (code !== 0) return void session.socket.end();
    const before = this.#sessions.get(clientId);
    this.#sessions.set(clientId, session);
    if (before?.version === 5) before.disconnect(0x8e);
    else before?.socket.destroy();
    this.onSession?.(session);
  }

  #publish(session: RemoteSession, packet: IPublishPacket, serial: string): void {
    const message = { clientId: session.clientId, serial, topic: packet.topic, payload: packet.payload.toString() };
    const verdict = this.take(message);
    if (verdict === false) return void session.socket.destroy();
    this.messages.push(message);
    if (verdict === "silent" || packet.qos !== 1) return;
    session.send({ cmd: "puback", messageId: packet.messageId!, reasonCode: verdict === true ? 0 : verdict });
  }
}

function newSession(socket: TLSSocket): RemoteSession {
  return {
    clientId: "",
    version: 4,
    socket,
    send(packet) {
      socket.write(generate(packet, { protocolVersion: this.version }));
    },
    disconnect(reasonCode, properties = {}) {
      this.send({ cmd: "disconnect", reasonCode, properties });
      socket.end();
    },
  };
}
