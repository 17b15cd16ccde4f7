import { SECOND } from "../../lib/clock.ts";
import type { Properties } from "../codec/property-table.ts";

export type Qos = 0 | 1 | 2;

export function lowerQos(one: Qos, other: Qos): Qos {
  return one < other ? one : other;
}

export const NO_IDS: readonly number[] = Object.freeze([]);

/** What follows a message of QoS 1 or 2: the client has acknowledged it, or it expired or was too long and was not sent. */
export type OnSettled = (isAcknowledged: boolean) => void;

/** How a message is sent to one subscriber. */
export interface Delivery {
  message: Message;
  qos: Qos;
  retain: boolean;
  /** The subscription identifiers of MQTT 5 that it matched [MQTT-3.3.4-4]. */
  subscriptionIds: readonly number[];
  onSettled?: OnSettled;
  /** Sends it to another member of the group that shares the subscription, for a session that has ended before its client took it. */
  redeliver?: () => void;
  /** Where it stands in the stored session of its client. */
  position?: string;
  /** It was sent under this packet id before, on another connection. */
  packetId?: number;
}

/** A message on its way to subscribers. */
export class Message {
  readonly topic: string;
  readonly qos: Qos;
  readonly #properties: Properties | undefined;
  readonly #arrivedMs: number;
  #payload: Buffer;
  #isShared = true;

  /**
   * @param payload shares the memory of the packet that it arrived in
   * @param properties those of MQTT 5 that are passed on
   * @param arrivedMs by the monotonic clock
   */
  constructor(topic: string, payload: Buffer, qos: Qos, properties?: Properties, arrivedMs = 0) {
    this.topic = topic;
    this.qos = qos;
    this.#properties = properties;
    this.#arrivedMs = arrivedMs;
    this.#payload = payload;
  }

  get payload(): Buffer {
    return this.#payload;
  }

  /** What is passed on at this time; the time that the message has waited is taken from its expiry [MQTT-3.3.2-6]. */
  propertiesAt(nowMs: number): Properties | undefined {
    const expiry = this.#properties?.messageExpiry;
    if (expiry === undefined) return this.#properties;
    return { ...this.#properties, messageExpiry: Math.max(0, expiry - this.#waitedSeconds(nowMs)) };
  }

  /** Whether it must not be sent any more [MQTT-3.3.2-5]. */
  isExpired(nowMs: number): boolean {
    const expiry = this.#properties?.messageExpiry;
    return expiry !== undefined && this.#waitedSeconds(nowMs) > 0 && this.#waitedSeconds(nowMs) >= expiry;
  }

  /** For a message that is to stay: gives the payload memory of its own, so that it does not keep that of a whole packet. */
  own(): this {
    if (this.#isShared) this.#payload = Buffer.from(this.#payload);
    this.#isShared = false;
    return this;
  }

  #waitedSeconds(nowMs: number): number {
    return Math.floor((nowMs - this.#arrivedMs) / SECOND);
  }
}

/** The properties of a PUBLISH or will that are passed on with its message [MQTT-3.3.2-4, 15, 16, 17, 20]. */
export function forwarded(properties: Properties | undefined): Properties | undefined {
  if (!properties) return undefined;
  const { topicAlias: _, willDelay: __, ...rest } = properties;
  return rest;
}
