import { ownerOf, type Principal } from "../policy/policy.ts";
import type { Grant } from "./grant.ts";
import { lowerQos, type Message, type Qos } from "./message.ts";
import { Retained } from "./retained.ts";
import type { Member } from "./shared-groups.ts";
import { Subscriptions } from "./subscriptions.ts";

const NONE: ReadonlySet<string> = new Set();

/** What receives messages, unless the policy does not let it. */
export interface Subscriber extends Member {
  /** Of an accepted session. */
  readonly principal: Principal | undefined;
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
      subscriber.deliver({ message, qos: lowerQos(qos, message.qos), retain: true, subscriptionIds });
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
   * @param queuedFor owners of stored sessions for which it was queued when they were not connected
   * @returns whether there is a subscriber
   */
  publish(
    tenantId: string,
    message: Message,
    retain: boolean,
    from?: Subscriber,
    queuedFor: ReadonlySet<string> = NONE,
  ): boolean {
    if (retain) this.retained.set(message);
    const subscriptions = this.#tenants.get(tenantId);
    let hasSubscriber = queuedFor.size > 0;
    if (!subscriptions) return hasSubscriber;
    for (const group of subscriptions.groups(message.topic))
      hasSubscriber = group.deliver(message, retain) || hasSubscriber;
    for (const [subscriber, grant] of subscriptions.matching(message.topic, from) ?? []) {
      const { qos, noLocal, retainAsPublished, subscriptionIds } = grant;
      if (noLocal && subscriber === from) continue;
      if (queuedFor.size > 0 && queuedFor.has(ownerOf(subscriber.principal!))) continue;
      hasSubscriber = true;
      const isRetained = retain && retainAsPublished;
      subscriber.deliver({ message, qos: lowerQos(qos, message.qos), retain: isRetained, subscriptionIds });
    }
    return hasSubscriber;
  }
}
