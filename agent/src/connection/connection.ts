import type { ConnectionOptions } from "node:tls";
import type {
  IConnackPacket,
  IConnectPacket,
  IDisconnectPacket,
  IPubackPacket,
  IPublishPacket,
  Packet,
} from "mqtt-packet";
import { withResolvers } from "../with-resolvers.ts";
import { KeepAlive } from "./keep-alive.ts";
import {
  isFailure,
  PACKET_TOO_LARGE,
  PROTOCOL_ERROR,
  RECEIVE_MAXIMUM_EXCEEDED,
  RETAIN_NOT_SUPPORTED,
} from "./reasons.ts";
import { TopicAliases } from "./topic-aliases.ts";
import { Wire } from "./wire.ts";

/** The contents of a CONNECT. */
export interface Hello {
  tls: ConnectionOptions;
  version: 4 | 5;
  clientId: string;
  /**
   * The time for which the broker keeps the session after this connection, in seconds; 0 starts a new one and keeps
   * none.
   */
  sessionExpiry: number;
  /**
   * Called with each message for this client; the first may follow immediately after the CONNACK. Without it no message
   * is acknowledged, and the broker sends them in the next session.
   */
  onMessage: ((packet: IPublishPacket) => void) | undefined;
}

/** The end of a connection. */
export interface ConnectionEnd {
  reached: boolean;
  error: Error | undefined;
  /** The broker's DISCONNECT, before it closed. */
  disconnect: IDisconnectPacket | undefined;
}

/** A message to send at QoS 1. */
export interface OutgoingPublish {
  packetId: number;
  /** Whether it was already sent in this session, and not acknowledged. */
  dup: boolean;
  topic: string;
  payload: Buffer;
  retain: boolean;
}

/** Called with the reason code of an acknowledgement, 0 if there is none, and the broker's reason string. */
export type Acknowledged = (code: number, reasonString: string | undefined) => void;

const KEEP_ALIVE_SECONDS = 60;
/** The maximum number of unacknowledged messages for the device, whose handler takes one at a time. */
const RECEIVE_MAXIMUM = 16;
const MAXIMUM_PACKET_SIZE = 256 * 1024;
/** The maximum size of a PUBLISH's fixed header, lengths, packet id and topic alias. */
const PUBLISH_OVERHEAD = 13;
/** The agent subscribes once per connection; its messages have other packet ids. */
const SUBSCRIBE_ID = 0xffff;

/** One MQTT connection from CONNECT to its end, without retries. */
export class Connection {
  /** Resolves with the broker's CONNACK, or with undefined if the connection ended before. */
  readonly answer: Promise<IConnackPacket | undefined>;
  readonly closed: Promise<ConnectionEnd>;
  readonly #version: Hello["version"];
  readonly #wire: Wire;
  readonly #onMessage: Hello["onMessage"];
  readonly #unacknowledged = new Map<number, Acknowledged>();
  /** The packet ids of the broker's messages that count toward the Receive Maximum (MQTT 5, 4.9). */
  readonly #received = new Set<number>();
  #isAnswered = false;
  #keepAlive: KeepAlive | undefined;
  #aliases = new TopicAliases(0);
  #limits: NonNullable<IConnackPacket["properties"]> = {};
  #disconnect: IDisconnectPacket | undefined;
  #subscribed: ((codes: number[]) => void) | undefined;
  #answered: (connack: IConnackPacket | undefined) => void;

  constructor(hello: Hello) {
    const answer = withResolvers<IConnackPacket | undefined>();
    const closed = withResolvers<ConnectionEnd>();
    this.answer = answer.promise;
    this.#answered = answer.resolve;
    this.closed = closed.promise;
    this.#version = hello.version;
    this.#onMessage = hello.onMessage;
    // An MQTT 3.1.1 broker does not know the limit.
    const longest = hello.version === 5 ? MAXIMUM_PACKET_SIZE : Number.POSITIVE_INFINITY;
    this.#wire = new Wire(hello.tls, hello.version, longest, {
      packet: (packet) => this.#take(packet),
      ended: (end) => {
        this.#keepAlive?.stop();
        this.#answered(undefined);
        closed.resolve({ ...end, disconnect: this.#disconnect });
      },
    });
    this.#wire.send(connectPacket(hello));
  }

  /**
   * Sends a message and returns 0, or the reason code with which the broker would refuse it according to its CONNACK.
   */
  publish({ packetId, dup, topic, payload, retain }: OutgoingPublish, acknowledged: Acknowledged): number {
    const { maximumPacketSize = Number.POSITIVE_INFINITY, retainAvailable } = this.#limits;
    if (Buffer.byteLength(topic) + payload.length + PUBLISH_OVERHEAD > maximumPacketSize) return PACKET_TOO_LARGE;
    if (retain && retainAvailable === false) return RETAIN_NOT_SUPPORTED;
    this.#unacknowledged.set(packetId, acknowledged);
    const named = this.#aliases.name(topic);
    this.#wire.send({ cmd: "publish", qos: 1, dup, retain, messageId: packetId, payload, ...named });
    return 0;
  }

  /** Subscribes with QoS 1; resolves with the code of each topic. */
  subscribe(topics: readonly string[]): Promise<number[]> {
    return new Promise((resolve) => {
      this.#subscribed = resolve;
      // Retained messages are requested only for new subscriptions.
      const subscriptions = topics.map((topic) => ({ topic, qos: 1 as const, nl: false, rap: true, rh: 1 }));
      this.#wire.send({ cmd: "subscribe", messageId: SUBSCRIBE_ID, subscriptions });
    });
  }

  /** Acknowledges a message for this client. A subscription of an earlier connection may have requested QoS 2. */
  acknowledge({ qos, messageId }: IPublishPacket, code: number): void {
    if (qos === 0) return;
    // A QoS 2 message counts until its PUBCOMP, unless it is refused.
    if (qos === 1 || isFailure(code)) this.#received.delete(messageId!);
    this.#wire.send({ cmd: qos === 1 ? "puback" : "pubrec", messageId: messageId!, reasonCode: code });
  }

  /** Sends DISCONNECT, then closes. The broker keeps the session for as long as the CONNECT said. */
  end(): void {
    this.#wire.send({ cmd: "disconnect", reasonCode: 0 });
    this.#wire.end();
  }

  destroy(error?: Error): void {
    this.#wire.destroy(error);
  }

  #take(packet: Packet): void {
    this.#keepAlive?.heard();
    switch (packet.cmd) {
      case "connack":
        this.#accept(packet);
        break;
      case "puback":
        this.#acknowledge(packet);
        break;
      case "suback":
        this.#subscribed?.(packet.granted as number[]);
        break;
      case "publish":
        this.#receive(packet);
        break;
      case "pubrel":
        this.#received.delete(packet.messageId!);
        this.#wire.send({ cmd: "pubcomp", messageId: packet.messageId!, reasonCode: 0 });
        break;
      case "disconnect":
        this.#disconnect = packet;
        this.#wire.end();
        break;
      case "pingresp":
        break;
      default:
        this.#fail(PROTOCOL_ERROR, `the broker sent an unsolicited packet: ${packet.cmd}`);
    }
  }

  #receive(packet: IPublishPacket): void {
    if (packet.qos > 0) this.#received.add(packet.messageId!);
    // MQTT 3.1.1 has no such limit.
    if (this.#version === 5 && this.#received.size > RECEIVE_MAXIMUM) {
      this.#fail(RECEIVE_MAXIMUM_EXCEEDED, `the broker sent more than ${RECEIVE_MAXIMUM} unacknowledged messages`);
    } else this.#onMessage?.(packet);
  }

  /** Ends the connection because the broker has broken a rule of MQTT. Only MQTT 5 has a DISCONNECT with a reason. */
  #fail(reasonCode: number, message: string): void {
    if (this.#version === 5) this.#wire.send({ cmd: "disconnect", reasonCode });
    this.#wire.end(new Error(message));
  }

  #acknowledge({ messageId, reasonCode, properties }: IPubackPacket): void {
    const acknowledged = this.#unacknowledged.get(messageId!);
    this.#unacknowledged.delete(messageId!);
    acknowledged?.(reasonCode ?? 0, properties?.reasonString);
  }

  #accept(connack: IConnackPacket): void {
    if (this.#isAnswered) {
      this.#fail(PROTOCOL_ERROR, "the broker sent a second CONNACK");
      return;
    }
    this.#isAnswered = true;
    const code = connack.reasonCode ?? connack.returnCode ?? 0;
    if (code !== 0) this.#wire.end();
    else {
      this.#limits = connack.properties ?? {};
      const { serverKeepAlive, topicAliasMaximum } = this.#limits;
      this.#aliases = new TopicAliases(topicAliasMaximum ?? 0);
      this.#keepAlive = new KeepAlive(
        serverKeepAlive ?? KEEP_ALIVE_SECONDS,
        () => this.#wire.send({ cmd: "pingreq" }),
        () => this.#wire.destroy(new Error("the broker did not answer a PINGREQ")),
      );
    }
    this.#answered(connack);
  }
}

function connectPacket({ version, clientId, sessionExpiry }: Hello): IConnectPacket {
  const packet: IConnectPacket = {
    cmd: "connect",
    protocolId: "MQTT",
    protocolVersion: version,
    clientId,
    clean: sessionExpiry === 0,
    keepalive: KEEP_ALIVE_SECONDS,
  };
  if (version === 5) {
    packet.properties = {
      sessionExpiryInterval: sessionExpiry,
      receiveMaximum: RECEIVE_MAXIMUM,
      maximumPacketSize: MAXIMUM_PACKET_SIZE,
    };
  }
  return packet;
}
