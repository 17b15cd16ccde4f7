import type { KnownSession, StoredSubscription } from "../../connections/connections.ts";
import { sharedFilter } from "../codec/shared-filter.ts";
import { lowerQos, type Message } from "../message.ts";
import { type Grant, joinGrants } from "../routing/grant.ts";
import { FilterMap } from "../topics/filter-map.ts";

/** A stored session without a connection in this process. */
export interface Entry extends KnownSession {
  /** Whether its last connection was in this process. */
  leftHere: boolean;
  readonly added: Added;
}

/** The messages that this process stores for an owner. */
interface Added {
  /** Whether there may be stored messages that its connection must read before it is sent others. */
  isUnread: boolean;
  /** The number of messages being stored. */
  underWay: number;
}

/** The stored sessions without a connection in this process, by their subscriptions. */
export class KnownSessions {
  readonly #entries = new Map<string, Entry>();
  readonly #tenants = new Map<string, FilterMap<Map<Entry, Grant>>>();

  /** Whether the tenant has such a session. */
  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  get(ownerId: string): Entry | undefined {
    return this.#entries.get(ownerId);
  }

  owners(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /**
   * Returns the sessions that subscribe to a topic, each with the highest QoS of its filters and all their identifiers.
   */
  matching(tenantId: string, topic: string): ReadonlyMap<Entry, Grant> {
    const [first = NONE, ...others] = this.#tenants.get(tenantId)?.matching(topic) ?? [];
    if (others.length === 0) return first;
    const merged = new Map(first);
    for (const [entry, grant] of others.flatMap((each) => [...each])) {
      const other = merged.get(entry);
      merged.set(entry, other ? joinGrants(other, grant) : grant);
    }
    return merged;
  }

  set(session: KnownSession, leftHere: boolean): void {
    const { added = { isUnread: false, underWay: 0 } } = this.delete(session.ownerId) ?? {};
    // Shared-subscription messages are not stored for a single member.
    const subscriptions = session.subscriptions.filter(({ filter }) => !sharedFilter(filter));
    if (subscriptions.length === 0) return;
    const entry = { ...session, subscriptions, leftHere, added };
    this.#entries.set(session.ownerId, entry);
    const tenant = this.#tenants.get(session.tenantId) ?? new FilterMap<Map<Entry, Grant>>();
    this.#tenants.set(session.tenantId, tenant);
    for (const each of subscriptions) {
      const subscribers = tenant.get(each.filter) ?? new Map<Entry, Grant>();
      tenant.set(each.filter, subscribers.set(entry, grantOf(each)));
    }
  }

  /** @returns the removed entry */
  delete(ownerId: string): Entry | undefined {
    const entry = this.#entries.get(ownerId);
    if (!entry) return undefined;
    this.#entries.delete(ownerId);
    const tenant = this.#tenants.get(entry.tenantId)!;
    for (const { filter } of entry.subscriptions) {
      const subscribers = tenant.get(filter);
      subscribers?.delete(entry);
      if (subscribers?.size === 0) tenant.delete(filter);
    }
    if (tenant.isEmpty) this.#tenants.delete(entry.tenantId);
    return entry;
  }
}

const NONE: ReadonlyMap<Entry, Grant> = new Map();

/** Returns the grant of a stored subscription. */
export function grantOf({ filter: _, ...grant }: StoredSubscription): Grant {
  return grant as unknown as Grant;
}

/** Returns how a QoS 1 or 2 message is sent for a grant with QoS 1 or 2. */
export function deliveryOf(message: Message, retain: boolean, { qos, retainAsPublished, subscriptionIds }: Grant) {
  return {
    message,
    qos: lowerQos(qos, message.qos) as 1 | 2,
    retain: retain && retainAsPublished,
    subscriptionIds,
  };
}
