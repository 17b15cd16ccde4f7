import type { KnownSession, NewStoredMessage, StoredSessions } from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import { type Bus, type BusMessage, DIRECT, type Route } from "../bus/bus.ts";
import { sharedFilter } from "../codec/shared-filter.ts";
import type { Grant } from "../routing/grant.ts";
import { lowerQos, type Qos } from "../routing/message.ts";
import type { EnqueueBatches } from "./enqueue-batches.ts";
import { deliveryOf, type Entry, KnownSessions } from "./known-sessions.ts";
import { Releases } from "./releases.ts";
import { retried } from "./retried.ts";
import { toStored } from "./stored-form.ts";

export interface StoredRoutesDeps {
  stored: StoredSessions;
  batches: EnqueueBatches;
  bus?: StoredBus | undefined;
  clock: Clock;
  logger: Logger;
}

type StoredBus = Pick<Bus, "name" | "interest" | "announced" | "serve" | "release" | "settled" | "serverOf" | "freed">;

/** How long a connection waits until another process has stored the end of the last one. */
const FREED_MS = 1_000;

/** A message that is to be stored, or passed on as far as it is not. */
export interface Routed extends Pick<BusMessage, "tenantId" | "message" | "retain"> {
  /** Owners for whom it is stored. */
  storedFor: Set<string>;
}

/** A connection of this process that has a stored session. */
interface Connection {
  /** Reads what has been stored for it since it was given the session; what else is sent to it waits for that. */
  catchUp(): void;
}

interface Here {
  sessionId: string;
  /** Once its CONNECT is accepted. */
  connection: Connection | undefined;
  /** Something has been stored for it since it was given the session. */
  isLate: boolean;
}

type Wanted = [entry: Entry, grant: Grant];

/**
 * Decides for each message of QoS 1 and 2 who takes it for the owner of a stored session: the process that has its connection, as long as
 * that says so on the bus, otherwise the database. So each message is taken once, also while the session changes hands: a process goes on
 * taking messages until the end of the connection is stored, and a connection reads what was stored for it after it was given the session.
 */
export class StoredRoutes {
  readonly #deps: StoredRoutesDeps;
  readonly #sessions = new KnownSessions();
  /** Owners whose session a connection of this process has, or is being given. */
  readonly #here = new Map<string, Here>();
  readonly #releases: Releases | undefined;
  /** Reads under way: the newest of each owner counts. */
  readonly #reading = new Map<string, object>();

  constructor(deps: StoredRoutesDeps) {
    this.#deps = deps;
    this.#releases = deps.bus && new Releases(deps.bus, deps.batches);
  }

  /** Whether a client of the tenant has a stored session and is not connected here. */
  has(tenantId: string): boolean {
    return this.#sessions.has(tenantId);
  }

  /** Reads all of them from the database. */
  async load(): Promise<void> {
    const known = new Set<string>();
    for await (const session of this.#deps.stored.all()) {
      known.add(session.ownerId);
      this.#set(session);
    }
    for (const ownerId of [...this.#sessions.owners()]) if (!known.has(ownerId)) this.#sessions.delete(ownerId);
  }

  /** The stored session of an owner has changed, here or in another process. */
  async refresh(ownerId: string): Promise<void> {
    if (this.#here.has(ownerId)) return;
    const read = {};
    this.#reading.set(ownerId, read);
    try {
      const session = await this.#deps.stored.read(ownerId);
      if (this.#reading.get(ownerId) !== read) return;
      if (session) this.#set(session);
      else if (!this.#here.has(ownerId)) this.#sessions.delete(ownerId);
    } finally {
      if (this.#reading.get(ownerId) === read) this.#reading.delete(ownerId);
    }
  }

  /** Another process has ended the connection of an owner, and takes no more messages for it. @param settled what it was sent is stored */
  released(session: KnownSession, settled: Promise<void>): void {
    this.#set(session);
    this.#deps.batches.after(session.ownerId, settled);
    // What is being read may be older, or newer.
    if (this.#reading.has(session.ownerId)) this.#inBackground(this.refresh(session.ownerId));
  }

  /** Resolves when another process has stored the end of the last connection of an owner; undefined where none has one. */
  freed(ownerId: string): Promise<void> | undefined {
    const freed = this.#deps.bus?.freed(ownerId);
    return freed && withTimeout(freed, FREED_MS, () => undefined);
  }

  /** A connection of this process is being given the session of an owner. */
  begin(ownerId: string, sessionId: string): void {
    this.#here.set(ownerId, { sessionId, connection: undefined, isLate: false });
  }

  /** The connection has the session: messages are sent to it from now on. */
  opened(ownerId: string, sessionId: string, connection: Connection): void {
    const here = this.#here.get(ownerId);
    if (here?.sessionId !== sessionId) return;
    here.connection = connection;
    this.#sessions.delete(ownerId);
    this.#deps.bus?.serve(ownerId);
    if (here.isLate) connection.catchUp();
  }

  /**
   * The connection that had the session, or was being given it, has ended. Until that is stored, messages for it come here.
   *
   * @param work stores its end and says whether the connection had the session; never rejects
   * @returns when the other processes are notified
   */
  async part(session: KnownSession, sessionId: string, work: Promise<boolean>): Promise<void> {
    const { ownerId, tenantId } = session;
    this.#leave(ownerId, sessionId);
    if (!this.#here.has(ownerId)) this.#sessions.set(session, true);
    const { bus } = this.#deps;
    const filters = session.subscriptions.flatMap(({ filter }) => (sharedFilter(filter) ? [] : [filter]));
    for (const filter of filters) bus?.interest(tenantId, filter, true);
    const isStored = await work;
    if (!bus) return;
    if (!this.#here.get(ownerId)?.connection) bus.release(ownerId, isStored ? session : undefined);
    for (const filter of filters) bus.interest(tenantId, filter, false);
    if (this.#releases) this.#inBackground(this.#releases.settle(ownerId));
  }

  /** The connection was not given the session after all. */
  abort(ownerId: string, sessionId: string): void {
    this.#leave(ownerId, sessionId);
    this.#inBackground(this.refresh(ownerId));
  }

  /** There is no stored session of this owner any more. @param sessionId of the connection that had it */
  forget(ownerId: string, sessionId: string): void {
    this.#leave(ownerId, sessionId);
    if (this.#here.has(ownerId)) return;
    this.#sessions.delete(ownerId);
    this.#deps.bus?.release(ownerId);
  }

  /** Messages have been stored for an owner who is connected; with "" perhaps for any. */
  added(ownerId: string): void {
    const all = ownerId === "" ? [...this.#here.values()] : [this.#here.get(ownerId)];
    for (const here of all) {
      if (here?.connection) here.connection.catchUp();
      else if (here) here.isLate = true;
    }
  }

  /** Stores a message for the owners whom no process has connected. It is durable when this resolves. */
  async store(routed: Routed): Promise<void> {
    for (;;) {
      const missing = this.#missing(routed, routed.message);
      if (missing.length === 0) return;
      await this.#add(routed, missing);
      for (const [{ ownerId }] of missing) routed.storedFor.add(ownerId);
    }
  }

  /**
   * Stores a message for all owners of whom this process has no connection, in a transaction of the caller's.
   *
   * @param commit stores the messages, or says that they are not to be stored. @returns whether they are
   */
  async storeAs(routed: Routed, commit: (messages: NewStoredMessage[]) => Promise<boolean>): Promise<boolean> {
    const wanted = this.#subscribed(routed.tenantId, routed.message, routed.storedFor);
    if (!(await this.#store(routed, wanted, commit))) return false;
    for (const [{ ownerId }] of wanted) routed.storedFor.add(ownerId);
    return true;
  }

  /** Who takes a message, if it is passed on now; undefined where it must be stored for another owner first. */
  route(routed: Omit<Routed, "message" | "retain">, message: { topic: string; qos: Qos }): Route | undefined {
    const { storedFor } = routed;
    if (message.qos === 0) return { ...DIRECT, storedFor };
    if (this.#missing(routed, message).length > 0) return undefined;
    const servedBy = new Map<string, string>();
    const unread = new Set<string>();
    for (const [{ ownerId, added }] of this.#subscribed(routed.tenantId, message, storedFor)) {
      const server = this.#deps.bus?.serverOf(ownerId);
      if (server === undefined) continue;
      servedBy.set(ownerId, server);
      if (added.isUnread) unread.add(ownerId);
      added.isUnread = added.underWay > 0;
    }
    return { storedFor, servedBy, unread };
  }

  /** A message of another process, before it is delivered to the connections of this one. */
  arrived(published: BusMessage): void {
    const { tenantId, message, route } = published;
    const own = this.#deps.bus?.name;
    for (const ownerId of route.unread) if (route.servedBy.get(ownerId) === own) this.added(ownerId);
    if (message.qos === 0 || !this.has(tenantId)) return;
    // The connection has ended since the other process routed the message, or that process did not know of the session.
    const missing = this.#subscribed(tenantId, message, route.storedFor).filter(([{ ownerId, leftHere }]) => {
      const server = route.servedBy.get(ownerId);
      return server === undefined ? leftHere : server === own;
    });
    if (missing.length > 0) this.#inBackground(retried(() => this.#add(published, missing)));
  }

  /** A message did not get to another process: it is stored for those whose connections that has. */
  undelivered(published: BusMessage, server: string): void {
    const { tenantId, message, route } = published;
    const missing = this.#subscribed(tenantId, message, route.storedFor).filter(
      ([{ ownerId }]) => route.servedBy.get(ownerId) === server,
    );
    if (missing.length > 0) this.#inBackground(retried(() => this.#add(published, missing)));
  }

  /** For whom a message is to be stored: those whom no process serves. */
  #missing(
    { tenantId, storedFor }: Omit<Routed, "message" | "retain">,
    message: { topic: string; qos: Qos },
  ): Wanted[] {
    const { bus, clock } = this.#deps;
    return this.#subscribed(tenantId, message, storedFor).filter(
      ([{ ownerId, expiresAt }]) =>
        bus?.serverOf(ownerId) === undefined && (expiresAt === null || expiresAt > clock.now()),
    );
  }

  /** Those who are to get a message with QoS 1 or 2. @param except owners */
  #subscribed(tenantId: string, { topic, qos }: { topic: string; qos: Qos }, except: ReadonlySet<string>): Wanted[] {
    if (!this.has(tenantId)) return [];
    return [...this.#sessions.matching(tenantId, topic)].filter(
      ([{ ownerId }, grant]) => lowerQos(grant.qos, qos) > 0 && !except.has(ownerId),
    );
  }

  async #store<T>(
    { message, retain }: Omit<Routed, "storedFor">,
    wanted: readonly Wanted[],
    commit: (messages: NewStoredMessage[]) => Promise<T>,
  ): Promise<T> {
    const all = wanted.map(([{ ownerId }, grant]) => toStored(this.#deps, ownerId, deliveryOf(message, retain, grant)));
    for (const [{ added }] of wanted) {
      added.isUnread = true;
      added.underWay++;
    }
    try {
      return await commit(all);
    } finally {
      for (const [{ ownerId, added }] of wanted) {
        added.underWay--;
        this.added(ownerId);
      }
    }
  }

  #add(routed: Omit<Routed, "storedFor">, wanted: readonly Wanted[]): Promise<void> {
    return this.#store(routed, wanted, (messages) => this.#deps.batches.add(routed.tenantId, messages));
  }

  #set(session: KnownSession): void {
    const { ownerId, expiresAt } = session;
    if (this.#here.has(ownerId)) return;
    this.#sessions.set(session, expiresAt !== null && this.#sessions.get(ownerId)?.leftHere === true);
  }

  #leave(ownerId: string, sessionId: string): void {
    if (this.#here.get(ownerId)?.sessionId === sessionId) this.#here.delete(ownerId);
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: Error) => this.#deps.logger.warn({ err: error.message }, "a stored session could not follow"));
  }
}
