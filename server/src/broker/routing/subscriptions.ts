import { type SharedFilter, sharedFilter } from "../codec/shared-filter.ts";
import { FilterMap } from "./filter-map.ts";
import type { Grant } from "./grant.ts";
import { type Member, SharedGroup } from "./shared-groups.ts";

type Subscribers<S> = Map<S, Grant>;

type Groups<S extends Member> = Map<string, SharedGroup<S>>;

/** The subscriptions of one tenant: filter → subscriber → what it was granted; and the shared ones: filter → name → group. */
export class Subscriptions<S extends Member> {
  readonly #own = new FilterMap<Subscribers<S>>();
  readonly #shared = new FilterMap<Groups<S>>();

  get isEmpty(): boolean {
    return this.#own.isEmpty && this.#shared.isEmpty;
  }

  /** A subscription to the same filter is replaced [MQTT-3.8.4-3]. */
  add(subscriber: S, filter: string, grant: Grant): void {
    const shared = sharedFilter(filter);
    if (shared) this.#group(shared).set(subscriber, grant);
    else entry(this.#own, filter, () => new Map()).set(subscriber, grant);
  }

  remove(subscriber: S, filter: string): void {
    const shared = sharedFilter(filter);
    if (shared) {
      this.#leave(subscriber, shared);
      return;
    }
    const subscribers = this.#own.get(filter);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) this.#own.delete(filter);
  }

  /**
   * Who subscribes to a topic, each once with the highest QoS of its filters [MQTT-3.3.5-1]; undefined where nothing does. The map may
   * be the one that is stored: it is for reading. Shared subscriptions are not in it.
   *
   * @param from who publishes: its subscriptions without its own messages do not count among several
   */
  matching(topic: string, from?: S): ReadonlyMap<S, Grant> | undefined {
    const found = this.#own.matching(topic);
    return found.length <= 1 ? found[0] : merge(found, from);
  }

  /** The groups that share a subscription to a topic. Groups of one name and different filters are different ones. */
  groups(topic: string): SharedGroup<S>[] {
    return this.#shared.isEmpty ? [] : this.#shared.matching(topic).flatMap((groups) => [...groups.values()]);
  }

  #group({ name, filter }: SharedFilter): SharedGroup<S> {
    const groups = entry(this.#shared, filter, (): Groups<S> => new Map());
    return entry(groups, name, () => new SharedGroup<S>());
  }

  #leave(subscriber: S, { name, filter }: SharedFilter): void {
    const groups = this.#shared.get(filter);
    const group = groups?.get(name);
    group?.delete(subscriber);
    if (group?.isEmpty) groups!.delete(name);
    if (groups?.size === 0) this.#shared.delete(filter);
  }
}

interface Entries<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
}

/** The value of a key, added if there is none. */
function entry<V>(entries: Entries<V>, key: string, create: () => V): V {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const created = create();
  entries.set(key, created);
  return created;
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
