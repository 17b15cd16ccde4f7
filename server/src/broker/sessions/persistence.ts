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
import type { UnsettledDelivery } from "../engine/outgoing/tracked.ts";
import type { Grant } from "../routing/grant.ts";
import { type Delivery, Message } from "../routing/message.ts";
import { TopicTrie } from "../routing/topic-trie.ts";
import type { EnqueueBatches } from "./enqueue-batches.ts";
import { grantOf, type OfflineSessions } from "./offline-sessions.ts";
import { messageOf, toStored } from "./stored-form.ts";

/** What all stored sessions of an engine share. */
export interface PersistenceParts {
  stored: StoredSessions;
  offline: OfflineSessions;
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

/** Where a session's messages go. */
export interface Outgoing {
  publish(delivery: Delivery): void;
  reserve(packetIds: readonly number[]): void;
  releaseAgain(packetId: number, delivery: Delivery): void;
}

const ATTEMPTS = 5;
const RETRY_MS = 200;
const EMPTY = Buffer.alloc(0);

/** The stored side of one session, while its client is connected. */
export class Persistence {
  readonly #parts: PersistenceParts;
  readonly #holder: Holder;
  readonly #resumed: ResumedSession;
  readonly #subscriptions = new Map<string, StoredSubscription>();
  /** Positions of messages that are to be deleted. */
  #done: string[] = [];
  #deleting: Promise<void> | undefined;
  #isRestored = false;
  /** Seconds; a DISCONNECT of MQTT 5 may change it. */
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

  /** Whether the will of the connection is stored, and published after its delay: not by who ends the connection. */
  get delaysWill(): boolean {
    return this.#hasWill && this.expirySeconds > 0;
  }

  get isPresent(): boolean {
    return this.#resumed.isPresent;
  }

  get incomingIds(): readonly number[] {
    return this.#resumed.incomingIds;
  }

  /** The stored subscriptions that the client may still have. @param mayHave authorizes a filter */
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

  /** Stores the subscriptions as they are. Rejects when the database fails for some time. */
  async saveSubscriptions(): Promise<void> {
    const { stored } = this.#parts;
    await retried(() => stored.writeSubscriptions(this.#holder, [...this.#subscriptions.values()]));
  }

  /**
   * Sends what waits: first what was sent before, under the same packet ids [MQTT-4.4.0-1], then what was stored since, and what has
   * arrived meanwhile. What matches no subscription of the client any more is deleted.
   */
  sendWaiting(out: Outgoing, mayReceive: (topic: string) => boolean): void {
    const filters = new TopicTrie<true>();
    for (const filter of this.#subscriptions.keys()) if (!sharedFilter(filter)) filters.set(filter, true);
    const { messages } = this.#resumed;
    out.reserve(messages.flatMap(({ packetId }) => packetId ?? []));
    for (const stored of messages) {
      const { position, packetId, topic } = stored;
      const isWanted = filters.matchingTopic(topic).length > 0 && mayReceive(topic);
      if (stored.released) out.releaseAgain(packetId!, this.#deliveryOf(stored, new Message(topic, EMPTY, stored.qos)));
      else if (isWanted) out.publish(this.#deliveryOf(stored, messageOf(this.#parts, stored)));
      else this.#delete(position);
    }
    this.#resumed.messages = [];
    for (const buffered of this.#parts.offline.take(this.#holder.ownerId)) {
      if (filters.matchingTopic(buffered.message.topic).length > 0) out.publish(buffered);
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
      onSettled: () => this.#delete(position),
      ...former,
    };
  }

  /**
   * Stores what is to outlast the connection, in the background.
   *
   * @param isWillDue whether the end of the connection is one for which its will is published
   * @returns when that is done
   */
  part(incomingIds: readonly number[], unsettled: readonly UnsettledDelivery[], isWillDue: boolean): Promise<void> {
    const { offline, batches, clock } = this.#parts;
    const { ownerId, tenantId } = this.#holder;
    if (this.expirySeconds === 0) {
      offline.forget(ownerId);
      return this.#background(() => this.#parts.stored.discard(ownerId, this.#holder.sessionId));
    }
    const expiresAt = new Date(clock.now().getTime() + this.expirySeconds * SECOND);
    // A connection that ends before it is answered leaves the stored session as it was.
    const subscriptions = this.#isRestored ? [...this.#subscriptions.values()] : this.#resumed.subscriptions;
    const parted = this.#parted(this.#isRestored ? incomingIds : this.#resumed.incomingIds, unsettled);
    if (this.#hasWill) parted.will = isWillDue ? "due" : "void";
    for (const buffered of offline.take(ownerId)) parted.messages.push(toStored(this.#parts, ownerId, buffered));
    offline.part({ ownerId, tenantId, subscriptions, expiresAt });
    const work = this.#background(async () => {
      await this.#deleting;
      if (this.#done.length > 0) await this.#parts.stored.deleteMessages(this.#done.splice(0));
      const refused = await this.#parts.stored.part(parted);
      if (refused === undefined) await offline.refresh(ownerId);
      else if (refused > 0) this.#parts.onUnstored(refused);
    });
    batches.after(ownerId, work);
    return work;
  }

  #parted(incomingIds: readonly number[], unsettled: readonly UnsettledDelivery[]): PartedSession {
    const { ownerId, sessionId } = this.#holder;
    const sent = unsettled.flatMap(({ delivery: { position }, packetId, isReleased }) =>
      position === undefined || packetId === undefined ? [] : [{ position, packetId, released: isReleased }],
    );
    // What has a follow-up without a place in the stored session is stored elsewhere: a command.
    const messages = unsettled
      .filter(({ delivery }) => delivery.position === undefined && !delivery.onSettled)
      .map(({ delivery, packetId, isReleased }) => {
        return { ...toStored(this.#parts, ownerId, delivery), packetId, released: isReleased };
      });
    return { ownerId, sessionId, expirySeconds: this.expirySeconds, incomingIds: [...incomingIds], sent, messages };
  }

  /** Retries; never rejects. */
  #background(work: () => Promise<void>): Promise<void> {
    return retried(work).catch((error: Error) =>
      this.#parts.logger.warn({ err: error.message }, "a session could not be stored"),
    );
  }

  /** Deletes a stored message, together with others that are over by then. */
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

async function retried(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt).unref());
    }
  }
}
