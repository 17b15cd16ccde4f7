import { type SharedFilter, sharedFilter } from "../codec/shared-filter.ts";
import { FilterMap } from "../topics/filter-map.ts";
import { type Grant, joinGrants } from "./grant.ts";
import { type Member, type OnNoMember, SharedGroup } from "./shared-groups.ts";

type Subscribers<S> = Map<S, Grant>;

type Groups<S extends Member> = Map<string, SharedGroup<S>>;

/** The subscriptions of one tenant: grants by filter and subscriber, and shared ones as groups by filter and name. */
export class Subscriptions<S extends Member> {
  readonly #own = new FilterMap<Subscribers<S>>();
  readonly #shared = new FilterMap<Groups<S>>();
  readonly #onNoMember: OnNoMember;

  /** @param onNoMember called with a message for a member of a group that has no members left */
  constructor(onNoMember: OnNoMember = () => undefined) {
    this.#onNoMember = onNoMember;
  }

  get isEmpty(): boolean {
    return this.#own.isEmpty && this.#shared.isEmpty;
  }

  /**
   * Adds a subscription, replacing one to the same filter [MQTT-3.8.4-3]. @returns whether it is the first to the
   * filter or in its group
   */
  add(subscriber: S, filter: string, grant: Grant): boolean {
    const shared = sharedFilter(filter);
    const subscribers = shared ? this.#group(filter, shared) : entry(this.#own, filter, () => new Map<S, Grant>());
    const { size } = subscribers;
    subscribers.set(subscriber, grant);
    return size === 0;
  }

  /** Removes a subscription. @returns whether it was the last one */
  remove(subscriber: S, filter: string): boolean {
    const shared = sharedFilter(filter);
    if (shared) return this.#leave(subscriber, shared);
    const subscribers = this.#own.get(filter);
    const isLast = subscribers?.delete(subscriber) === true && subscribers.size === 0;
    if (isLast) this.#own.delete(filter);
    return isLast;
  }

  /** Returns the group of a shared filter that includes its name. */
  group(filter: string): SharedGroup<S> | undefined {
    const shared = sharedFilter(filter);
    return shared && this.#shared.get(shared.filter)?.get(shared.name);
  }

  /**
   * Returns the subscribers to a topic, each once with the highest QoS of its filters [MQTT-3.3.5-1]; undefined if
   * there are none. Shared subscriptions are not included. The map is read-only, because it may be the stored one.
   *
   * @param from the publisher: its `noLocal` subscriptions are left out when several match
   */
  matching(topic: string, from?: S): ReadonlyMap<S, Grant> | undefined {
    const found = this.#own.matching(topic);
    return found.length <= 1 ? found[0] : merge(found, from);
  }

  /**
   * Returns the groups that share a subscription to a topic. Groups with the same name and different filters are
   * distinct.
   */
  groups(topic: string): SharedGroup<S>[] {
    return this.#shared.isEmpty ? [] : this.#shared.matching(topic).flatMap((groups) => [...groups.values()]);
  }

  #group(key: string, { name, filter }: SharedFilter): SharedGroup<S> {
    const groups = entry(this.#shared, filter, (): Groups<S> => new Map());
    return entry(groups, name, () => new SharedGroup<S>(key, this.#onNoMember));
  }

  #leave(subscriber: S, { name, filter }: SharedFilter): boolean {
    const groups = this.#shared.get(filter);
    const group = groups?.get(name);
    const isLast = group?.delete(subscriber) === true && group.size === 0;
    if (isLast) groups!.delete(name);
    if (groups?.size === 0) this.#shared.delete(filter);
    return isLast;
  }
}

interface Entries<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
}

/** Returns the value of a key, creating it if there is none. */
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
      merged.set(subscriber, other ? joinGrants(grant, other) : grant);
    }
  }
  return merged;
}
