import { SECOND } from "../lib/clock.ts";
import type { Properties } from "./codec/property-table.ts";

export type Qos = 0 | 1 | 2;

export function lowerQos(one: Qos, other: Qos): Qos {
  return one < other ? one : other;
}

export const NO_IDS: readonly number[] = Object.freeze([]);

/**
 * Called when a QoS 1 or 2 message is finished: the client acknowledged it, or it expired or was too long and was not
 * sent.
 */
export type OnFinished = (isAcknowledged: boolean) => void;

/** A message as it is sent to one subscriber. */
export interface Delivery {
  message: Message;
  qos: Qos;
  retain: boolean;
  /** The MQTT 5 subscription identifiers that it matched [MQTT-3.3.4-4]. */
  subscriptionIds: readonly number[];
  onFinished?: OnFinished;
  /**
   * Sends the message to another member of the shared subscription's group if the session ends before its client takes
   * it.
   */
  redeliver?: () => void;
  /** The message's position in its client's stored session. */
  position?: string;
  /** The packet id under which it was sent on an earlier connection. */
  packetId?: number;
}

/** A message in transit to subscribers. */
export class Message {
  readonly topic: string;
  readonly qos: Qos;
  readonly #properties: Properties | undefined;
  readonly #arrivedMs: number;
  #payload: Buffer;
  #isShared = true;

  /**
   * @param payload shares the memory of the packet in which it arrived
   * @param properties the MQTT 5 properties that are forwarded
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

  /** Returns the properties to forward at this time; the waiting time is subtracted from the expiry [MQTT-3.3.2-6]. */
  propertiesAt(nowMs: number): Properties | undefined {
    const expiry = this.#properties?.messageExpiry;
    if (expiry === undefined) return this.#properties;
    return { ...this.#properties, messageExpiry: Math.max(0, expiry - this.#waitedSeconds(nowMs)) };
  }

  /** Whether the message must not be sent any more [MQTT-3.3.2-5]. */
  isExpired(nowMs: number): boolean {
    const expiry = this.#properties?.messageExpiry;
    return expiry !== undefined && this.#waitedSeconds(nowMs) > 0 && this.#waitedSeconds(nowMs) >= expiry;
  }

  /** Copies the payload for a message that is retained longer, so that it does not pin the memory of a whole packet. */
  own(): this {
    if (this.#isShared) this.#payload = Buffer.from(this.#payload);
    this.#isShared = false;
    return this;
  }

  #waitedSeconds(nowMs: number): number {
    return Math.floor((nowMs - this.#arrivedMs) / SECOND);
  }
}

/** Returns the properties of a PUBLISH or will that are forwarded with its message [MQTT-3.3.2-4, 15, 16, 17, 20]. */
export function forwarded(properties: Properties | undefined): Properties | undefined {
  if (!properties) return undefined;
  const { topicAlias: _, willDelay: __, ...rest } = properties;
  return rest;
}

/** A message that a client has not acknowledged. */
export interface UnacknowledgedDelivery {
  delivery: Delivery;
  /** The packet id under which it was sent; `undefined` while it is queued. */
  packetId: number | undefined;
  /** Whether the client has received it (QoS 2). */
  isReleased: boolean;
}
