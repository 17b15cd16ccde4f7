import type { Delivery, UnacknowledgedDelivery } from "../../message.ts";
import { queuedBytes } from "./out-queue.ts";

/**
 * Sent messages that need an action when the client acknowledges them or its session ends. Most need none and are not
 * tracked; those of a stored session all are.
 */
export class Tracked {
  readonly #sent = new Map<number, Delivery>();
  bytes = 0;

  add(packetId: number, delivery: Delivery): void {
    delivery.message.own();
    this.#sent.set(packetId, delivery);
    this.bytes += queuedBytes(delivery);
  }

  /**
   * Removes a message that the client has acknowledged or refused; a refused one is not sent to others either
   * [MQTT-4.8.2-6].
   */
  finish(packetId: number): void {
    const delivery = this.#sent.get(packetId);
    if (!delivery) return;
    this.#sent.delete(packetId);
    this.bytes -= queuedBytes(delivery);
    delivery.onFinished?.(true);
  }

  /** Removes all messages. @returns them in the order of sending */
  take(): Delivery[] {
    const all = [...this.#sent.values()];
    this.#sent.clear();
    this.bytes = 0;
    return all;
  }

  /** Returns all messages in the order of sending. */
  all(isReleased: (packetId: number) => boolean): UnacknowledgedDelivery[] {
    return [...this.#sent].map(([packetId, delivery]) => ({ delivery, packetId, isReleased: isReleased(packetId) }));
  }

  /**
   * Whether a message must be tracked. A shared-subscription message with QoS 2 must not go to another client
   * [MQTT-4.8.2-5].
   */
  static concerns({ qos, onFinished, redeliver }: Delivery): boolean {
    return onFinished !== undefined || (qos === 1 && redeliver !== undefined);
  }
}
