import type { Qos } from "./message.ts";
import { TopicTrie } from "./topic-trie.ts";

/** What a subscriber was granted for a filter. The options are those of MQTT 5, 3.8.3.1; MQTT 3.1.1 has neither. */
export interface Grant {
  qos: Qos;
  /** It does not get its own messages. */
  noLocal: boolean;
  retainAsPublished: boolean;
  /** The identifier that the client gave the subscription, of several subscriptions that match the same message each. */
  subscriptionIds: readonly number[];
}

type Subscribers<S> = Map<S, Grant>;

interface ByFilter<V> {
  get(filter: string): V | undefined;
  set(filter: string, value: V): unknown;
  delete(filter: string): unknown;
}

/** The subscriptions of one tenant: filter → subscriber → what it was granted. Filters without wildcards are found by one look-up. */
export class Subscriptions<S> {
  readonly #exact = new Map<string, Subscribers<S>>();
  readonly #wildcards = new TopicTrie<Subscribers<S>>();

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#wildcards.size === 0;
  }

  /** A subscription to the same filter is replaced [MQTT-3.8.4-3]. */
  add(subscriber: S, filter: string, grant: Grant): void {
    const filters = this.#ofKind(filter);
    const subscribers = filters.get(filter);
    if (subscribers) subscribers.set(subscriber, grant);
    else filters.set(filter, new Map([[subscriber, grant]]));
  }

  remove(subscriber: S, filter: string): void {
    const filters = this.#ofKind(filter);
    const subscribers = filters.get(filter);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) filters.delete(filter);
  }

  /**
   * Who subscribes to a topic, each once with the highest QoS of its filters [MQTT-3.3.5-1]; undefined where nothing does. The map may
   * be the one that is stored: it is for reading.
   *
   * @param from who publishes: its subscriptions without its own messages do not count among several
   */
  matching(topic: string, from?: S): ReadonlyMap<S, Grant> | undefined {
    const exact = this.#exact.get(topic);
    if (this.#wildcards.size === 0) return exact;
    const found = this.#wildcards.matchingTopic(topic);
    if (exact) found.push(exact);
    return found.length <= 1 ? found[0] : merge(found, from);
  }

  #ofKind(filter: string): ByFilter<Subscribers<S>> {
    return filter.includes("+") || filter.includes("#") ? this.#wildcards : this.#exact;
  }
}

function merge<S>(found: readonly Subscribers<S>[], from: S | undefined): Subscribers<S> {
  const merged: Subscribers<S> = new Map();
  for (const subscribers of found) {
    for (const [subscriber, grant] of subscribers) {
      if (grant.noLocal && subscriber === from) continue;
      const other = merged.get(subscriber);
      merged.set(subscriber, other ? both(grant, other) : grant);
    }
  }
  return merged;
}

function both(one: Grant, other: Grant): Grant {
  return {
    qos: one.qos > other.qos ? one.qos : other.qos,
    noLocal: one.noLocal && other.noLocal,
    retainAsPublished: one.retainAsPublished || other.retainAsPublished,
    subscriptionIds: [...one.subscriptionIds, ...other.subscriptionIds],
  };
}
