import type { Principal } from "../policy/policy.ts";
import type { Delivery, Message, Qos } from "./message.ts";
import { Retained } from "./retained.ts";
import { type Grant, Subscriptions } from "./subscriptions.ts";

/** What receives messages. */
export interface Subscriber {
  /** Of an accepted session. */
  readonly principal: Principal | undefined;
  /** Sends a message, unless the policy does not let this subscriber receive it. */
  deliver(delivery: Delivery): void;
}

/** Which sessions of this process a message reaches, a tenant's own only, and which messages are retained. */
export class Router {
  readonly retained = new Retained();
  readonly #tenants = new Map<string, Subscriptions<Subscriber>>();

  subscribe(subscriber: Subscriber, filter: string, grant: Grant): void {
    const { tenantId } = subscriber.principal!;
    const subscriptions = this.#tenants.get(tenantId) ?? new Subscriptions<Subscriber>();
    this.#tenants.set(tenantId, subscriptions);
    subscriptions.add(subscriber, filter, grant);
  }

  /** Delivers the retained messages that a new subscription matches [MQTT-3.3.1-6]. */
  deliverRetained(subscriber: Subscriber, filter: string, { qos, subscriptionIds }: Grant): void {
    for (const message of this.retained.matching(filter)) {
      subscriber.deliver({ message, qos: lower(qos, message.qos), retain: true, subscriptionIds });
    }
  }

  /** The QoS with which messages on `topic` reach a subscriber; 0 where none do. */
  qosOf(subscriber: Subscriber, topic: string): Qos {
    return this.#tenants.get(subscriber.principal!.tenantId)?.matching(topic)?.get(subscriber)?.qos ?? 0;
  }

  unsubscribe(subscriber: Subscriber, filter: string): void {
    const { tenantId } = subscriber.principal!;
    const subscriptions = this.#tenants.get(tenantId);
    subscriptions?.remove(subscriber, filter);
    if (subscriptions?.isEmpty) this.#tenants.delete(tenantId);
  }

  /**
   * Delivers a message to the subscribers of its tenant. They are not notified that it is retained [MQTT-3.3.1-9], unless they ask for it.
   *
   * @param from the session that published it, as long as it is open
   * @returns whether there is a subscriber
   */
  publish(tenantId: string, message: Message, retain: boolean, from?: Subscriber): boolean {
    if (retain) this.retained.set(message);
    const subscribers = this.#tenants.get(tenantId)?.matching(message.topic, from);
    if (!subscribers) return false;
    let hasSubscriber = false;
    for (const [subscriber, { qos, noLocal, retainAsPublished, subscriptionIds }] of subscribers) {
      if (noLocal && subscriber === from) continue;
      hasSubscriber = true;
      subscriber.deliver({
        message,
        qos: lower(qos, message.qos),
        retain: retain && retainAsPublished,
        subscriptionIds,
      });
    }
    return hasSubscriber;
  }
}

function lower(one: Qos, other: Qos): Qos {
  return one < other ? one : other;
}
