import type { OfflineSession, StoredSessions, StoredSubscription } from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { FilterMap } from "../routing/filter-map.ts";
import { type Grant, joinGrants } from "../routing/grant.ts";
import { lowerQos, type Message } from "../routing/message.ts";
import type { EnqueueBatches } from "./enqueue-batches.ts";
import { toStored } from "./stored-form.ts";

/** A message for a client whose connection is being resumed. */
export interface Buffered {
  message: Message;
  qos: 1 | 2;
  retain: boolean;
  subscriptionIds: readonly number[];
}

/** A stored session whose client is not connected, or is just being given it. */
interface Entry extends OfflineSession {
  /** What arrives while a connection of this process is being given the session; it is not in the database. */
  buffered: Buffered[] | undefined;
}

export interface OfflineDeps {
  stored: StoredSessions;
  batches: EnqueueBatches;
  clock: Clock;
  logger: Logger;
}

/** More than this while a connection is being given its session are not taken. */
const MAX_BUFFERED = 1_000;
const SHARED = "$share/";

/** The stored sessions of clients that are not connected, of every process: what they subscribe to, so that messages are queued for them. */
export class OfflineSessions {
  readonly #deps: OfflineDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #tenants = new Map<string, FilterMap<Map<Entry, Grant>>>();
  /** Owners whose session a connection of this process has. */
  readonly #here = new Set<string>();

  constructor(deps: OfflineDeps) {
    this.#deps = deps;
  }

  /** Whether a client of the tenant has a stored session and is not connected. */
  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  /** Reads all of them from the database. */
  async load(): Promise<void> {
    const known = new Set<string>();
    for await (const session of this.#deps.stored.allOffline()) {
      known.add(session.ownerId);
      this.#set(session);
    }
    for (const { ownerId, buffered } of this.#entries.values())
      if (!known.has(ownerId) && !buffered) this.#delete(ownerId);
  }

  /** The stored session of an owner has changed, here or in another process. */
  async refresh(ownerId: string): Promise<void> {
    if (this.#here.has(ownerId)) return;
    const session = await this.#deps.stored.readOffline(ownerId);
    if (session) this.#set(session);
    else if (!this.#here.has(ownerId)) this.#delete(ownerId);
  }

  /** A connection of this process is being given the session of an owner: what arrives for it is buffered. */
  begin(ownerId: string): void {
    this.#here.add(ownerId);
    const entry = this.#entries.get(ownerId);
    if (entry) entry.buffered = [];
  }

  /** The connection has the session. @returns what has arrived since {@link begin} */
  take(ownerId: string): Buffered[] {
    const buffered = this.#entries.get(ownerId)?.buffered ?? [];
    this.#delete(ownerId);
    return buffered;
  }

  /** The connection that had the session of an owner, or was being given it, has ended. */
  part(session: OfflineSession): void {
    this.#here.delete(session.ownerId);
    this.#set(session);
  }

  /** The connection was not given the session after all: what it would have got is queued. */
  abort(ownerId: string): void {
    this.#here.delete(ownerId);
    const entry = this.#entries.get(ownerId);
    const buffered = entry?.buffered ?? [];
    if (entry) entry.buffered = undefined;
    const { batches, logger } = this.#deps;
    batches
      .add(
        entry?.tenantId ?? "",
        buffered.map((each) => toStored(this.#deps, ownerId, each)),
      )
      .catch((error: Error) => logger.warn({ err: error.message }, "messages for a stored session are lost"));
  }

  /** There is no stored session of this owner any more. */
  forget(ownerId: string): void {
    this.#here.delete(ownerId);
    this.#delete(ownerId);
  }

  /**
   * Queues a message for those who subscribe to it and are not connected.
   *
   * @param except owners for whom it is queued already
   * @returns the owners, once it is durable for them
   */
  async enqueue(
    tenantId: string,
    message: Message,
    retain: boolean,
    except?: ReadonlySet<string>,
  ): Promise<Set<string>> {
    const owners = new Set<string>();
    const queued = [];
    for (const [entry, { qos: granted, retainAsPublished, subscriptionIds }] of this.#subscribersOf(
      tenantId,
      message.topic,
    )) {
      const qos = lowerQos(granted, message.qos);
      if (qos === 0 || except?.has(entry.ownerId) || entry.expiresAt <= this.#deps.clock.now()) continue;
      owners.add(entry.ownerId);
      const buffered = { message, qos, retain: retain && retainAsPublished, subscriptionIds };
      if (!entry.buffered) queued.push(toStored(this.#deps, entry.ownerId, buffered));
      else if (entry.buffered.push({ ...buffered, message: message.own() }) > MAX_BUFFERED) entry.buffered.pop();
    }
    if (queued.length > 0) await this.#deps.batches.add(tenantId, queued);
    return owners;
  }

  /** Each once, with the highest QoS of its filters and all their identifiers. */
  #subscribersOf(tenantId: string, topic: string): ReadonlyMap<Entry, Grant> {
    const [first = new Map<Entry, Grant>(), ...others] = this.#tenants.get(tenantId)?.matching(topic) ?? [];
    if (others.length === 0) return first;
    const merged = new Map(first);
    for (const [entry, grant] of others.flatMap((each) => [...each])) {
      const other = merged.get(entry);
      merged.set(entry, other ? joinGrants(other, grant) : grant);
    }
    return merged;
  }

  #set(session: OfflineSession): void {
    if (this.#here.has(session.ownerId)) return;
    this.#delete(session.ownerId);
    const filters = session.subscriptions.filter(({ filter }) => !filter.startsWith(SHARED));
    if (filters.length === 0) return;
    const entry = { ...session, subscriptions: filters, buffered: undefined };
    this.#entries.set(session.ownerId, entry);
    const tenant = this.#tenants.get(session.tenantId) ?? new FilterMap<Map<Entry, Grant>>();
    this.#tenants.set(session.tenantId, tenant);
    for (const each of filters) {
      const subscribers = tenant.get(each.filter) ?? new Map<Entry, Grant>();
      tenant.set(each.filter, subscribers.set(entry, grantOf(each)));
    }
  }

  #delete(ownerId: string): void {
    const entry = this.#entries.get(ownerId);
    if (!entry) return;
    this.#entries.delete(ownerId);
    const tenant = this.#tenants.get(entry.tenantId)!;
    for (const { filter } of entry.subscriptions) {
      const subscribers = tenant.get(filter);
      subscribers?.delete(entry);
      if (subscribers?.size === 0) tenant.delete(filter);
    }
    if (tenant.isEmpty) this.#tenants.delete(entry.tenantId);
  }
}

/** What was granted for a stored subscription. */
export function grantOf({ filter: _, ...grant }: StoredSubscription): Grant {
  return grant as unknown as Grant;
}
