import type { Principal } from "../policy/policy.ts";
import type { Message, Qos } from "./message.ts";
import { Retained } from "./retained.ts";
import { Subscriptions } from "./subscriptions.ts";

/** What receives messages. */
export interface Subscriber {
  /** Of an accepted session. */
  readonly principal: Principal | undefined;
  /** Sends a message, unless the policy does not let this subscriber receive it. */
  deliver(message: Message, qos: Qos, retain: boolean): void;
}

/** Which sessions of this process a message reaches, a tenant's own only, and which messages are retained. */
export class Router {
  readonly retained = new Retained();
  readonly #tenants = new Map<string, Subscriptions<Subscriber>>();

  /** Subscribes, and delivers the retained messages that match [MQTT-3.3.1-6], at every subscription to a filter [MQTT-3.8.4-3]. */
  subscribe(subscriber: Subscriber, filter: string, qos: Qos): void {
    const { tenantId } = subscriber.principal!;
    const subscriptions = this.#tenants.get(tenantId) ?? new Subscriptions<Subscriber>();
    this.#tenants.set(tenantId, subscriptions);
    subscriptions.add(subscriber, filter, qos);
    for (const message of this.retained.matching(filter)) subscriber.deliver(message, lower(qos, message.qos), true);
  }

  unsubscribe(subscriber: Subscriber, filter: string): void {
    const { tenantId } = subscriber.principal!;
    const subscriptions = this.#tenants.get(tenantId);
    subscriptions?.remove(subscriber, filter);
    if (subscriptions?.isEmpty) this.#tenants.delete(tenantId);
  }

  /** Delivers a message to the subscribers of its tenant. They are not notified that it is retained [MQTT-3.3.1-9]. */
  publish(tenantId: string, message: Message, retain: boolean): void {
    if (retain) this.retained.set(message);
    const subscribers = this.#tenants.get(tenantId)?.matching(message.topic);
    if (!subscribers) return;
    for (const [subscriber, qos] of subscribers) subscriber.deliver(message, lower(qos, message.qos), false);
  }
}

function lower(one: Qos, other: Qos): Qos {
  return one < other ? one : other;
}
