import type { Bus, BusMessage, Route, SharedMessage } from "../bus/bus.ts";
import { lowerQos, type Qos } from "../message.ts";
import { ownerOf, type Principal } from "../policy/policy.ts";
import type { Grant } from "./grant.ts";
import type { Member, SharedGroup } from "./shared-groups.ts";
import { Subscriptions } from "./subscriptions.ts";

/** The hop limit: a message that keeps arriving where the last group member has just left is dropped. */
const MAX_HOPS = 3;

const NO_SUBSCRIBERS: readonly Subscriber[] = [];

/** A receiver of messages, subject to the policy. */
export interface Subscriber extends Member {
  /** Set once the session is accepted. */
  readonly principal: Principal | undefined;
  /** Whether its session outlives its connection. */
  readonly isStored: boolean;
}

/** Routes messages to the sessions of their tenant, including those in other processes. */
export class Router {
  readonly #tenants = new Map<string, Subscriptions<Subscriber>>();
  readonly #bus: Bus | undefined;

  /** @param bus the link to the other processes, if there are any */
  constructor(bus?: Bus) {
    this.#bus = bus;
  }

  /** Resolves when the other processes know of the subscriptions so far; undefined if they already know. */
  announced(): Promise<void> | undefined {
    return this.#bus?.announced();
  }

  /** Whether there may be other processes. */
  get isOneOfSeveral(): boolean {
    return this.#bus !== undefined;
  }

  subscribe(subscriber: Subscriber, filter: string, grant: Grant): void {
    const { tenantId } = subscriber.principal!;
    const subscriptions = this.#tenants.get(tenantId) ?? this.#newTenant(tenantId);
    this.#tenants.set(tenantId, subscriptions);
    if (subscriptions.add(subscriber, filter, grant)) this.#bus?.interest(tenantId, filter, true);
  }

  /** Returns the QoS with which messages on `topic` reach a subscriber; 0 if none do. */
  qosOf(subscriber: Subscriber, topic: string): Qos {
    return this.#tenants.get(subscriber.principal!.tenantId)?.matching(topic)?.get(subscriber)?.qos ?? 0;
  }

  unsubscribe(subscriber: Subscriber, filter: string): void {
    const { tenantId } = subscriber.principal!;
    const subscriptions = this.#tenants.get(tenantId);
    if (subscriptions?.remove(subscriber, filter)) this.#bus?.interest(tenantId, filter, false);
    if (subscriptions?.isEmpty) this.#tenants.delete(tenantId);
  }

  /**
   * Delivers a message to the subscribers of its tenant. RETAIN is not set [MQTT-3.3.1-9] unless they asked for it.
   *
   * @param published not retained unless its `retain` is set
   * @param from the publishing session, while it is open
   * @returns whether there is a subscriber
   */
  publish(published: BusMessage, from?: Subscriber): boolean {
    const subscriptions = this.#tenants.get(published.tenantId);
    const isShared = this.#publishShared(published, subscriptions);
    const subscribers = this.#deliverHere(subscriptions, published, from);
    const isElsewhere = this.#bus?.publish(this.#served(published, subscribers)) ?? false;
    return isShared || subscribers.length > 0 || isElsewhere || published.route.storedFor.size > 0;
  }

  /** Delivers a message from another process to the subscribers in this one. */
  deliver(published: BusMessage): void {
    this.#deliverHere(this.#tenants.get(published.tenantId), published);
  }

  /**
   * Delivers a message from another process to a group member in this one, or forwards it if the last member has left.
   */
  deliverShared(published: SharedMessage): void {
    const { tenantId, group, message, retain, hops } = published;
    if (this.#tenants.get(tenantId)?.group(group)?.deliver(message, retain)) return;
    if (hops < MAX_HOPS) this.#bus?.publishShared({ ...published, hops: hops + 1 });
  }

  #newTenant(tenantId: string): Subscriptions<Subscriber> {
    return new Subscriptions((group, message, retain) => {
      this.#bus?.publishShared({ tenantId, group, message, retain, hops: 0 });
    });
  }

  /** Sends a message to one member of each group. @returns whether there is one */
  #publishShared(
    published: Omit<SharedMessage, "group" | "hops">,
    subscriptions: Subscriptions<Subscriber> | undefined,
  ): boolean {
    const { tenantId, message } = published;
    const here = subscriptions?.groups(message.topic) ?? [];
    const elsewhere = this.#bus?.groupsOf(tenantId, message.topic);
    let hasMember = false;
    for (const group of here) {
      const isDelivered = this.#offer(published, group, elsewhere?.get(group.key) ?? 0);
      hasMember ||= isDelivered;
    }
    if (!elsewhere) return hasMember;
    const names = new Set(here.map(({ key }) => key));
    for (const group of elsewhere.keys()) {
      if (!names.has(group)) hasMember = this.#bus!.publishShared({ ...published, group, hops: 0 }) || hasMember;
    }
    return hasMember;
  }

  /**
   * Takes turns with the other processes; a ready member elsewhere takes precedence over members here that are not
   * ready. @param others the number of other processes with members
   */
  #offer(published: Omit<SharedMessage, "group" | "hops">, group: SharedGroup<Subscriber>, others: number): boolean {
    const isOthersTurn = others > 0 && (group.offered++ % (others + 1) > 0 || !group.isReady);
    if (isOthersTurn && this.#bus!.publishShared({ ...published, group: group.key, hops: 0 })) return true;
    return group.deliver(published.message, published.retain);
  }

  #deliverHere(
    subscriptions: Subscriptions<Subscriber> | undefined,
    { message, retain, route }: BusMessage,
    from?: Subscriber,
  ): readonly Subscriber[] {
    let served: Subscriber[] | undefined;
    for (const [subscriber, grant] of subscriptions?.matching(message.topic, from) ?? []) {
      const { qos, noLocal, retainAsPublished, subscriptionIds } = grant;
      if ((noLocal && subscriber === from) || this.#isElsewhere(subscriber, route)) continue;
      served ??= [];
      served.push(subscriber);
      const isRetained = retain && retainAsPublished;
      subscriber.deliver({ message, qos: lowerQos(qos, message.qos), retain: isRetained, subscriptionIds });
    }
    return served ?? NO_SUBSCRIBERS;
  }

  /** Adds the owners served here, so that other processes do not store the message for them. */
  #served(published: BusMessage, subscribers: readonly Subscriber[]): BusMessage {
    const stored = subscribers.filter(({ isStored }) => isStored);
    if (stored.length === 0) return published;
    const servedBy = new Map(published.route.servedBy);
    for (const { principal } of stored) servedBy.set(ownerOf(principal!), this.#bus!.name);
    return { ...published, route: { ...published.route, servedBy } };
  }

  /** Whether the database or another process handles the message for the owner of a stored session. */
  #isElsewhere({ principal }: Subscriber, { storedFor, servedBy }: Route): boolean {
    if (storedFor.size + servedBy.size === 0) return false;
    const ownerId = ownerOf(principal!);
    const server = servedBy.get(ownerId);
    return storedFor.has(ownerId) || (server !== undefined && server !== this.#bus?.name);
  }
}
