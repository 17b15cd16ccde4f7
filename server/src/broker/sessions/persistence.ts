import type {
  PartedSession,
  ResumedSession,
  StoredMessage,
  StoredSessions,
  StoredSubscription,
} from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import { SECOND } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { sharedFilter } from "../codec/shared-filter.ts";
import { type Delivery, Message, type UnacknowledgedDelivery } from "../message.ts";
import type { Grant } from "../routing/grant.ts";
import { TopicTrie } from "../topics/topic-trie.ts";
import type { EnqueueBatches } from "./enqueue-batches.ts";
import { grantOf } from "./known-sessions.ts";
import { retried } from "./retried.ts";
import { messageOf, toStored } from "./stored-form.ts";
import type { StoredRoutes } from "./stored-routes.ts";

/** The parts that all stored sessions of an engine share. */
export interface PersistenceParts {
  stored: StoredSessions;
  routes: StoredRoutes;
  batches: EnqueueBatches;
  onUnstored(count: number): void;
  clock: Clock;
  logger: Logger;
}

/** The connection that has a stored session. */
export interface Holder {
  ownerId: string;
  tenantId: string;
  sessionId: string;
}

/** The open session of the connection. */
export interface OpenSession {
  readonly outbound: {
    publish(delivery: Delivery): void;
    reserve(packetIds: readonly number[]): void;
    releaseAgain(packetId: number, delivery: Delivery): void;
  };
  readonly isClosed: boolean;
  mayReceive(topic: string): boolean;
  close(reason: string): void;
}

/** The limit on messages that wait until the stored ones have been read. */
const MOST_DEFERRED = 1_000;
const EMPTY = Buffer.alloc(0);

/** The stored side of one session while its client is connected. */
export class Persistence {
  readonly #parts: PersistenceParts;
  readonly #holder: Holder;
  readonly #resumed: ResumedSession;
  readonly #subscriptions = new Map<string, StoredSubscription>();
  /** The positions of messages to be deleted. */
  #done: string[] = [];
  #deleting: Promise<void> | undefined;
  #isRestored = false;
  #session: OpenSession | undefined;
  /** The position of the last stored message that has been read. */
  #position = "0";
  /** Messages that arrive while stored ones, which come first, are being read; `undefined` otherwise. */
  #deferred: Delivery[] | undefined;
  /** Whether there may be stored messages that the current read does not see. */
  #isStale = false;
  /** In seconds; an MQTT 5 DISCONNECT may change it. */
  expirySeconds: number;

  readonly #hasWill: boolean;

  constructor(
    parts: PersistenceParts,
    holder: Holder,
    resumed: ResumedSession,
    { expirySeconds, will }: { expirySeconds: number; will?: object | undefined },
  ) {
    this.#hasWill = will !== undefined;
    this.#parts = parts;
    this.#holder = holder;
    this.#resumed = resumed;
    this.expirySeconds = expirySeconds;
  }

  /** Whether the connection's will is stored and published after its delay, instead of when the connection ends. */
  get delaysWill(): boolean {
    return this.#hasWill && this.expirySeconds > 0;
  }

  get isPresent(): boolean {
    return this.#resumed.isPresent;
  }

  get incomingIds(): readonly number[] {
    return this.#resumed.incomingIds;
  }

  /** Restores the stored subscriptions that the client may still have. @param mayHave authorizes a filter */
  restoreSubscriptions(mayHave: (filter: string) => boolean): [filter: string, Grant][] {
    this.#isRestored = true;
    const restored = this.#resumed.subscriptions.filter(({ filter }) => mayHave(filter));
    for (const each of restored) this.#subscriptions.set(each.filter, each);
    return restored.map((each) => [each.filter, grantOf(each)]);
  }

  subscribed(filter: string, grant: Grant): void {
    this.#subscriptions.set(filter, { ...grant, filter });
  }

  unsubscribed(filter: string): void {
    this.#subscriptions.delete(filter);
  }

  /** Stores the current subscriptions. Rejects if the database keeps failing. */
  async saveSubscriptions(): Promise<void> {
    const { stored } = this.#parts;
    await retried(() => stored.writeSubscriptions(this.#holder, [...this.#subscriptions.values()]));
  }

  /**
   * Starts sending: first the messages sent earlier, under the same packet ids [MQTT-4.4.0-1], then those stored since,
   * then new ones. Messages that no longer match a subscription of the client are deleted.
   */
  open(session: OpenSession): void {
    this.#session = session;
    const { messages } = this.#resumed;
    session.outbound.reserve(messages.flatMap(({ packetId }) => packetId ?? []));
    this.#send(session, messages);
    this.#resumed.messages = [];
    this.#parts.routes.opened(this.#holder.ownerId, this.#holder.sessionId, this);
  }

  /** Reads the messages stored since the last read; new messages to the session wait for that. */
  catchUp(): void {
    if (!this.#session || this.#session.isClosed) return;
    this.#isStale = true;
    if (this.#deferred) return;
    this.#deferred = [];
    this.#readAdded(this.#session).catch((error: Error) => {
      this.#parts.logger.warn({ err: error.message }, "stored messages could not be read");
      this.#session!.close("storage_failed");
    });
  }

  /** Whether a message was deferred, to be sent after the stored messages being read. */
  defers(delivery: Delivery): boolean {
    if (!this.#deferred || delivery.qos === 0 || delivery.redeliver) return false;
    delivery.message.own();
    if (this.#deferred.push(delivery) > MOST_DEFERRED) this.#session!.close("slow_consumer");
    return true;
  }

  async #readAdded(session: OpenSession): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const added = await retried(() => this.#parts.stored.readAdded(this.#holder, this.#position));
      if (session.isClosed) return;
      this.#send(session, added);
    }
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const delivery of deferred) session.outbound.publish(delivery);
  }

  #send(session: OpenSession, messages: readonly StoredMessage[]): void {
    const filters = new TopicTrie<true>();
    for (const filter of this.#subscriptions.keys()) if (!sharedFilter(filter)) filters.set(filter, true);
    for (const stored of messages) {
      const { position, packetId, topic } = stored;
      this.#position = position;
      const isWanted = filters.matchingTopic(topic).length > 0 && session.mayReceive(topic);
      if (stored.released) {
        const released = new Message(topic, EMPTY, stored.qos);
        session.outbound.releaseAgain(packetId!, this.#deliveryOf(stored, released));
      } else if (isWanted) session.outbound.publish(this.#deliveryOf(stored, messageOf(this.#parts, stored)));
      else this.#delete(position);
    }
  }

  #deliveryOf({ position, packetId, qos, retain, subscriptionIds }: StoredMessage, message: Message): Delivery {
    const former = packetId === null ? {} : { packetId };
    return {
      message,
      qos,
      retain,
      subscriptionIds,
      position,
      onFinished: () => this.#delete(position),
      ...former,
    };
  }

  /**
   * Stores the state that outlasts the connection, in the background.
   *
   * @param isWillDue whether the connection's will is published for this kind of end
   * @returns a promise that resolves when that is done
   */
  part(
    incomingIds: readonly number[],
    unacknowledged: readonly UnacknowledgedDelivery[],
    isWillDue: boolean,
  ): Promise<void> {
    const { routes, batches, clock } = this.#parts;
    const { ownerId, tenantId, sessionId } = this.#holder;
    if (this.expirySeconds === 0) {
      routes.forget(ownerId, sessionId);
      const work = this.#background(() => this.#parts.stored.discard(ownerId, sessionId));
      // A client that reconnects immediately must not find it.
      batches.after(ownerId, work);
      return work;
    }
    const expiresAt = new Date(clock.now().getTime() + this.expirySeconds * SECOND);
    // A connection that ends before its CONNACK leaves the stored session unchanged.
    const subscriptions = this.#isRestored ? [...this.#subscriptions.values()] : this.#resumed.subscriptions;
    const parted = this.#parted(this.#isRestored ? incomingIds : this.#resumed.incomingIds, unacknowledged);
    if (this.#hasWill) parted.will = isWillDue ? "due" : "void";
    for (const delivery of this.#deferred ?? []) parted.messages.push(toStored(this.#parts, ownerId, delivery));
    let isStored = false;
    const work = this.#background(async () => {
      isStored = await this.#store(parted);
    });
    const session = { ownerId, tenantId, subscriptions, expiresAt };
    const parting = routes.part(
      session,
      sessionId,
      work.then(() => isStored),
    );
    batches.after(ownerId, parting);
    return parting;
  }

  /** @returns whether the connection still had the stored session */
  async #store(parted: PartedSession): Promise<boolean> {
    const { stored, routes, onUnstored } = this.#parts;
    await this.#deleting;
    if (this.#done.length > 0) await stored.deleteMessages(this.#done.splice(0));
    const refused = await stored.part(parted);
    if (refused === undefined) await routes.refresh(parted.ownerId);
    else if (refused > 0) onUnstored(refused);
    return refused !== undefined;
  }

  #parted(incomingIds: readonly number[], unacknowledged: readonly UnacknowledgedDelivery[]): PartedSession {
    const { ownerId, sessionId } = this.#holder;
    const sent = unacknowledged.flatMap(({ delivery: { position }, packetId, isReleased }) =>
      position === undefined || packetId === undefined ? [] : [{ position, packetId, released: isReleased }],
    );
    // A message with a follow-up but no position is a command, which is stored elsewhere.
    const messages = unacknowledged
      .filter(({ delivery }) => delivery.position === undefined && !delivery.onFinished)
      .map(({ delivery, packetId, isReleased }) => {
        return { ...toStored(this.#parts, ownerId, delivery), packetId, released: isReleased };
      });
    return { ownerId, sessionId, expirySeconds: this.expirySeconds, incomingIds: [...incomingIds], sent, messages };
  }

  /** Retries work for a few seconds; never rejects. */
  #background(work: () => Promise<void>): Promise<void> {
    return retried(work).catch((error: Error) =>
      this.#parts.logger.warn({ err: error.message }, "a session could not be stored"),
    );
  }

  /** Deletes a stored message, batched with others that are complete by then. */
  #delete(position: string): void {
    this.#done.push(position);
    this.#deleting ??= this.#deleteDone().finally(() => {
      this.#deleting = undefined;
    });
  }

  async #deleteDone(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#done.length > 0) {
      const positions = this.#done.splice(0);
      await this.#background(() => this.#parts.stored.deleteMessages(positions));
    }
  }
}
