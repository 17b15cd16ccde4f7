import type { Clock } from "../../../lib/clock.ts";
import type { Properties } from "../../codec/property-table.ts";
import { writeProperties } from "../../codec/write-properties.ts";
import { writePublish } from "../../codec/writers.ts";
import type { Delivery } from "../../message.ts";
import { OutgoingAliases } from "./outgoing-aliases.ts";

/** The limits that an MQTT 5 client sets in its CONNECT (3.1.2.11). */
export interface ClientLimits {
  receiveMaximum: number;
  /** Bytes. */
  maximumPacketSize: number;
  topicAliasMaximum: number;
  /** Whether it wants reason strings. */
  wantsReasons: boolean;
}

/** Encodes the PUBLISH packets of one connection. MQTT 3.1.1 has neither properties nor a maximum packet size. */
export class PublishEncoder {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #client: ClientLimits | undefined;
  #aliases: OutgoingAliases | undefined;

  /** @param client the limits, for MQTT 5 only */
  constructor(clock: Pick<Clock, "monotonicMs">, client: ClientLimits | undefined) {
    this.#clock = clock;
    this.#client = client;
  }

  /** @returns undefined if the packet is longer than the client permits [MQTT-3.1.2-24] */
  encode(delivery: Delivery, packetId: number): Buffer | undefined {
    if (!this.#client) return write(delivery, packetId, delivery.message.topic, undefined);
    const { message, subscriptionIds } = delivery;
    const properties = message.propertiesAt(this.#clock.monotonicMs()) ?? {};
    const packet =
      this.#withAlias(delivery, packetId, properties) ??
      write(delivery, packetId, message.topic, writeProperties(properties, subscriptionIds));
    return packet.length <= this.#client.maximumPacketSize ? packet : undefined;
  }

  /**
   * Encodes the packet with an alias; undefined if there is none for the topic, or if it would make the packet too
   * long.
   */
  #withAlias(delivery: Delivery, packetId: number, properties: Properties): Buffer | undefined {
    const { topicAliasMaximum, maximumPacketSize } = this.#client!;
    if (topicAliasMaximum === 0) return undefined;
    this.#aliases ??= new OutgoingAliases(topicAliasMaximum);
    const { topic } = delivery.message;
    const known = this.#aliases.known(topic);
    const alias = known ?? this.#aliases.next(topic);
    if (alias === undefined) return undefined;
    const encoded = writeProperties({ ...properties, topicAlias: alias }, delivery.subscriptionIds);
    const packet = write(delivery, packetId, known === undefined ? topic : "", encoded);
    if (packet.length > maximumPacketSize) return undefined;
    this.#aliases.sent(topic, alias);
    return packet;
  }
}

function write(
  { message, qos, retain }: Delivery,
  packetId: number,
  topic: string,
  properties: Buffer | undefined,
): Buffer {
  return writePublish({ topic, payload: message.payload, qos, retain, packetId, properties });
}
