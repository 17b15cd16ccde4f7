import { sharedFilter } from "../codec/shared-filter.ts";
import { FilterMap } from "../topics/filter-map.ts";

/** A group that shares a subscription, and the processes with members of it, in the order of their turns. */
interface Group<Peer> {
  readonly key: string;
  readonly peers: Set<Peer>;
}

interface Tenant<Peer> {
  readonly own: FilterMap<Set<Peer>>;
  /** Groups by filter, then by key. */
  readonly shared: FilterMap<Map<string, Group<Peer>>>;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** The subscriptions of other processes' sessions: the processes by filter. */
export class RemoteInterest<Peer> {
  readonly #tenants = new Map<string, Tenant<Peer>>();
  /** The entries to remove with a process. */
  readonly #of = new Map<Peer, Map<string, { tenantId: string; filter: string }>>();

  set(peer: Peer, tenantId: string, filter: string, isOn: boolean): void {
    const ofPeer = this.#of.get(peer) ?? new Map<string, { tenantId: string; filter: string }>();
    this.#of.set(peer, ofPeer);
    const key = `${tenantId} ${filter}`;
    if (isOn) {
      ofPeer.set(key, { tenantId, filter });
      this.#add(peer, tenantId, filter);
    } else if (ofPeer.delete(key)) this.#remove(peer, tenantId, filter);
  }

  /** Removes a process that has left. */
  forget(peer: Peer): void {
    for (const { tenantId, filter } of this.#of.get(peer)?.values() ?? []) this.#remove(peer, tenantId, filter);
    this.#of.delete(peer);
  }

  /** Returns the processes with subscribers, each once; undefined if there are none. */
  peersOf(tenantId: string, topic: string): ReadonlySet<Peer> | undefined {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant || tenant.own.isEmpty) return undefined;
    const found = tenant.own.matching(topic);
    return found.length <= 1 ? found[0] : new Set(found.flatMap((peers) => [...peers]));
  }

  /** Returns how many processes have members of each group that shares a subscription to a topic, by group key. */
  groupsOf(tenantId: string, topic: string): ReadonlyMap<string, number> {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant || tenant.shared.isEmpty) return NONE;
    const groups = tenant.shared.matching(topic).flatMap((each) => [...each.values()]);
    return new Map(groups.map(({ key, peers }) => [key, peers.size]));
  }

  /** Returns the process whose turn it is to receive a message for a group. */
  nextOf(tenantId: string, key: string): Peer | undefined {
    const peers = this.#tenants.get(tenantId)?.shared.get(filterOf(key))?.get(key)?.peers;
    const [next] = peers ?? [];
    if (next === undefined) return undefined;
    peers!.delete(next);
    peers!.add(next);
    return next;
  }

  #add(peer: Peer, tenantId: string, filter: string): void {
    const tenant = this.#tenants.get(tenantId) ?? { own: new FilterMap(), shared: new FilterMap() };
    this.#tenants.set(tenantId, tenant);
    if (!sharedFilter(filter)) {
      const peers = tenant.own.get(filter) ?? new Set<Peer>();
      tenant.own.set(filter, peers.add(peer));
      return;
    }
    const groups = tenant.shared.get(filterOf(filter)) ?? new Map<string, Group<Peer>>();
    const group = groups.get(filter) ?? { key: filter, peers: new Set<Peer>() };
    group.peers.add(peer);
    tenant.shared.set(filterOf(filter), groups.set(filter, group));
  }

  #remove(peer: Peer, tenantId: string, filter: string): void {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant) return;
    if (sharedFilter(filter)) this.#leave(peer, tenant, filter);
    else {
      const peers = tenant.own.get(filter);
      peers?.delete(peer);
      if (peers?.size === 0) tenant.own.delete(filter);
    }
    if (tenant.own.isEmpty && tenant.shared.isEmpty) this.#tenants.delete(tenantId);
  }

  #leave(peer: Peer, { shared }: Tenant<Peer>, key: string): void {
    const groups = shared.get(filterOf(key));
    const peers = groups?.get(key)?.peers;
    peers?.delete(peer);
    if (peers?.size === 0) groups!.delete(key);
    if (groups?.size === 0) shared.delete(filterOf(key));
  }
}

/** Returns the filter after the name of a group. */
function filterOf(key: string): string {
  return sharedFilter(key)!.filter;
}
