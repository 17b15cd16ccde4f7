import type { Delivery } from "../../routing/message.ts";
import { queuedBytes } from "./out-queue.ts";

/** A message that a client has not acknowledged. */
export interface UnsettledDelivery {
  delivery: Delivery;
  /** Under which it was sent; `undefined` while it waits. */
  packetId: number | undefined;
  /** The client has received it (QoS 2). */
  isReleased: boolean;
}

/**
 * Messages that a client has been sent and that something follows when it acknowledges them, or when its session ends before. Most have
 * nothing and are not in here; all of a session that is stored are.
 */
export class Tracked {
  readonly #sent = new Map<number, Delivery>();
  bytes = 0;

  add(packetId: number, delivery: Delivery): void {
    delivery.message.own();
    this.#sent.set(packetId, delivery);
    this.bytes += queuedBytes(delivery);
  }

  /** The client has acknowledged the message, or refused it: then it is not sent to others either [MQTT-4.8.2-6]. */
  settle(packetId: number): void {
    const delivery = this.#sent.get(packetId);
    if (!delivery) return;
    this.#sent.delete(packetId);
    this.bytes -= queuedBytes(delivery);
    delivery.onSettled?.(true);
  }

  /** In the order of sending; none is left. */
  take(): Delivery[] {
    const all = [...this.#sent.values()];
    this.#sent.clear();
    this.bytes = 0;
    return all;
  }

  /** In the order of sending. */
  all(isReleased: (packetId: number) => boolean): UnsettledDelivery[] {
    return [...this.#sent].map(([packetId, delivery]) => ({ delivery, packetId, isReleased: isReleased(packetId) }));
  }

  /** A QoS 2 message of a shared subscription is for the client alone that it was sent to [MQTT-4.8.2-5]. */
  static concerns({ qos, onSettled, redeliver }: Delivery): boolean {
    return onSettled !== undefined || (qos === 1 && redeliver !== undefined);
  }
}
