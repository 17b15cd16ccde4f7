import type { KnownSession, NewStoredMessage, StoredSessions } from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import { type Bus, type BusMessage, DIRECT, type Route } from "../bus/bus.ts";
import { sharedFilter } from "../codec/shared-filter.ts";
import { lowerQos, type Qos } from "../message.ts";
import type { Grant } from "../routing/grant.ts";
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

type StoredBus = Pick<Bus, "name" | "interest" | "announced" | "serve" | "release" | "flushed" | "serverOf" | "freed">;

/**
 * The longest that a connection waits until another process has stored the end of the client's previous connection.
 */
const FREED_MS = 1_000;

/** A message to be stored, or forwarded to the owners for whom it is not. */
export interface Routed extends Pick<BusMessage, "tenantId" | "message" | "retain"> {
  /** The owners for whom it is stored. */
  storedFor: Set<string>;
}

/** A connection of this process that has a stored session. */
interface Connection {
  /** Reads the messages stored since the session was resumed; messages sent to it wait for that. */
  catchUp(): void;
}

interface Here {
  sessionId: string;
  /** Set once its CONNECT is accepted. */
  connection: Connection | undefined;
  /** Whether messages have been stored for it since the session was resumed. */
  isLate: boolean;
}

type Wanted = [entry: Entry, grant: Grant];

/**
 * Decides, for each QoS 1 and 2 message and owner of a stored session, whether the process that announces the owner's
 * connection on the bus or the database takes the message. Each message is taken exactly once, even during a handover:
 * a process takes messages until the end of its connection is stored, and a new connection reads those stored after it
 * resumed the session.
 */
export class StoredRoutes {
  readonly #deps: StoredRoutesDeps;
  readonly #sessions = new KnownSessions();
  /** Owners whose session a connection of this process has or is resuming. */
  readonly #here = new Map<string, Here>();
  readonly #releases: Releases | undefined;
  /** Reads in flight; only the newest per owner counts. */
  readonly #reading = new Map<string, object>();

  constructor(deps: StoredRoutesDeps) {
    this.#deps = deps;
    this.#releases = deps.bus && new Releases(deps.bus, deps.batches);
  }

  /** Whether a client of the tenant has a stored session and is not connected here. */
  has(tenantId: string): boolean {
    return this.#sessions.has(tenantId);
  }

  /** Reads all stored sessions from the database. */
  async load(): Promise<void> {
    const known = new Set<string>();
    for await (const session of this.#deps.stored.all()) {
      known.add(session.ownerId);
      this.#set(session);
    }
    for (const ownerId of [...this.#sessions.owners()]) if (!known.has(ownerId)) this.#sessions.delete(ownerId);
  }

  /** Re-reads the stored session of an owner after a change here or in another process. */
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

  /**
   * Handles the end of an owner's connection in another process. @param flushed resolves when the messages sent there
   * are stored
   */
  released(session: KnownSession, flushed: Promise<void>): void {
    this.#set(session);
    this.#deps.batches.after(session.ownerId, flushed);
    // The read in flight may return an older or a newer state.
    if (this.#reading.has(session.ownerId)) this.#inBackground(this.refresh(session.ownerId));
  }

  /** Resolves when another process has stored the end of an owner's last connection; undefined if none has one. */
  freed(ownerId: string): Promise<void> | undefined {
    const freed = this.#deps.bus?.freed(ownerId);
    return freed && withTimeout(freed, FREED_MS, () => undefined);
  }

  /** Records that a connection of this process is resuming an owner's session. */
  begin(ownerId: string, sessionId: string): void {
    this.#here.set(ownerId, { sessionId, connection: undefined, isLate: false });
  }

  /** Records that the connection has the session: messages are sent to it from now on. */
  opened(ownerId: string, sessionId: string, connection: Connection): void {
    const here = this.#here.get(ownerId);
    if (here?.sessionId !== sessionId) return;
    here.connection = connection;
    this.#sessions.delete(ownerId);
    this.#deps.bus?.serve(ownerId);
    if (here.isLate) connection.catchUp();
  }

  /**
   * Handles the end of a connection that had or was resuming the session. Messages for it come here until the end is
   * stored.
   *
   * @param work stores the end and resolves to whether the connection had the session; never rejects
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
    if (this.#releases) this.#inBackground(this.#releases.flush(ownerId));
  }

  /** Records that the connection did not resume the session after all. */
  abort(ownerId: string, sessionId: string): void {
    this.#leave(ownerId, sessionId);
    this.#inBackground(this.refresh(ownerId));
  }

  /** Records that the owner's stored session is gone. @param sessionId of the connection that had it */
  forget(ownerId: string, sessionId: string): void {
    this.#leave(ownerId, sessionId);
    if (this.#here.has(ownerId)) return;
    this.#sessions.delete(ownerId);
    this.#deps.bus?.release(ownerId);
  }

  /** Makes a connected owner, or every one if "", read newly stored messages. */
  added(ownerId: string): void {
    const all = ownerId === "" ? [...this.#here.values()] : [this.#here.get(ownerId)];
    for (const here of all) {
      if (here?.connection) here.connection.catchUp();
      else if (here) here.isLate = true;
    }
  }

  /** Stores a message for the owners that no process serves. Durable once this resolves. */
  async store(routed: Routed): Promise<void> {
    for (;;) {
      const missing = this.#missing(routed, routed.message);
      if (missing.length === 0) return;
      await this.#add(routed, missing);
      for (const [{ ownerId }] of missing) routed.storedFor.add(ownerId);
    }
  }

  /**
   * Stores a message, in the caller's transaction, for all owners without a connection in this process.
   *
   * @param commit stores the messages, unless they must not be stored @returns whether it did
   */
  async storeAs(routed: Routed, commit: (messages: NewStoredMessage[]) => Promise<boolean>): Promise<boolean> {
    const wanted = this.#subscribed(routed.tenantId, routed.message, routed.storedFor);
    if (!(await this.#store(routed, wanted, commit))) return false;
    for (const [{ ownerId }] of wanted) routed.storedFor.add(ownerId);
    return true;
  }

  /** Returns the route for forwarding a message now; undefined if it must first be stored for another owner. */
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

  /** Handles a message from another process before it is delivered to the connections here. */
  arrived(published: BusMessage): void {
    const { tenantId, message, route } = published;
    const own = this.#deps.bus?.name;
    for (const ownerId of route.unread) if (route.servedBy.get(ownerId) === own) this.added(ownerId);
    if (message.qos === 0 || !this.has(tenantId)) return;
    // The connection has ended since the other process routed the message, or that process did not know the session.
    const missing = this.#subscribed(tenantId, message, route.storedFor).filter(([{ ownerId, leftHere }]) => {
      const server = route.servedBy.get(ownerId);
      return server === undefined ? leftHere : server === own;
    });
    if (missing.length > 0) this.#inBackground(retried(() => this.#add(published, missing)));
  }

  /** Stores a message that did not reach another process for the owners connected there. */
  undelivered(published: BusMessage, server: string): void {
    const { tenantId, message, route } = published;
    const missing = this.#subscribed(tenantId, message, route.storedFor).filter(
      ([{ ownerId }]) => route.servedBy.get(ownerId) === server,
    );
    if (missing.length > 0) this.#inBackground(retried(() => this.#add(published, missing)));
  }

  /** Returns the owners for whom a message must be stored, because no process serves them. */
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

  /** Returns the owners that receive a message with QoS 1 or 2. @param except owners */
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
