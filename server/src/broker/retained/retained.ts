import type { NewRetained, RetainedChange, RetainedMessages, RetainOutcome } from "../../connections/connections.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { BusMessage } from "../bus/bus.ts";
import { lowerQos, type Message } from "../message.ts";
import { ownerOf, type Principal } from "../policy/policy.ts";
import type { Grant } from "../routing/grant.ts";
import { storedForm } from "../sessions/stored-form.ts";
import { RecentSubscriptions, type RetainedSubscriber, type Subscription } from "./recent-subscriptions.ts";
import { RetainBatches } from "./retain-batches.ts";
import { RetainedCache } from "./retained-cache.ts";
import type { TenantRetained } from "./tenant-retained.ts";
import { TurnBudget } from "./turn-budget.ts";
import { WaitingSubscriptions } from "./waiting-subscriptions.ts";

export interface RetainedDeps {
  retained: RetainedMessages;
  clock: Clock;
  limits: { retainedCacheBytes: number };
  logger: Logger;
}

/** The number of waiting bytes beyond which a client is sent no further retained message. */
const FULL_BYTES = 1024 * 1024;
const FULL_MS = 250;
const RETRY_MS = SECOND;
/** The time that another process's message has to arrive by itself. */
const ARRIVAL_MS = 250;
const SINCE_MS = SECOND;
/** The number of topics with which subscriptions are compared per turn of the event loop. */
const TOPICS_A_TURN = 10_000;

/**
 * Retained messages (MQTT 3.1.1, 3.3.1.3). The database stores them all; memory caches those of tenants whose clients
 * subscribe. A subscriber receives the state at its subscription or later, and never an earlier message after a later
 * one.
 */
export class Retained {
  readonly #deps: RetainedDeps;
  readonly #cache: RetainedCache;
  readonly #batches: RetainBatches;
  readonly #recent: RecentSubscriptions;
  readonly #waiting = new WaitingSubscriptions((each) => this.#sendWhenRead(each.subscriber.principal!.tenantId, each));
  readonly #turns = new TurnBudget(TOPICS_A_TURN);
  #unlisten: () => Promise<void> = async () => {};
  #isStopped = false;

  constructor(deps: RetainedDeps) {
    this.#deps = deps;
    this.#cache = new RetainedCache(deps);
    this.#recent = new RecentSubscriptions(deps.clock);
    this.#batches = new RetainBatches({ ...deps, onWritten: (...written) => this.#written(...written) });
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#deps.retained.onChange((change) => this.#changed(change));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#unlisten();
  }

  /** Retains a message, or removes the topic's one. Durable once it resolves; rejects if the database fails. */
  retain(principal: Principal, message: Message): Promise<RetainOutcome> {
    return this.#batches.add(principal.tenantId, this.rowOf(principal, message), message);
  }

  /** Returns the row that stores a retained message. */
  rowOf(principal: Principal, message: Message): NewRetained {
    return { ...storedForm(this.#deps, message), qos: message.qos, ownerId: ownerOf(principal) };
  }

  /** Records that the caller's transaction retained a message of this process. */
  wasRetained(principal: Principal, message: Message, outcome: RetainOutcome): void {
    this.#written(principal.tenantId, ownerOf(principal), message, outcome);
  }

  /** Records that a message from another process is delivered to the subscribers in this one. */
  arrived({ tenantId, message, retain }: Pick<BusMessage, "tenantId" | "message" | "retain">): void {
    if (retain) this.#cache.peek(tenantId)?.arrived(message.topic, this.#deps.clock.monotonicMs());
  }

  /** Re-reads the messages that this device or MQTT client has published before delivering them. */
  recheck(ownerId: string): void {
    this.#cache.recheck(ownerId);
  }

  /** Delivers the retained messages that match a new subscription [MQTT-3.3.1-6]. */
  deliver(subscriber: RetainedSubscriber, filter: string, grant: Grant): void {
    const subscription = { subscriber, filter, grant };
    this.#recent.add(subscriber.principal!.tenantId, subscription);
    this.#waiting.add(subscription);
  }

  /** @param filter the subscription's filter, or one topic that it matches */
  async #sendWhenRead(tenantId: string, subscription: Subscription, filter = subscription.filter): Promise<void> {
    while (!this.#isStopped && isOpen(subscription)) {
      try {
        await this.#turns.take(this.#cache.comparisons(tenantId, filter));
        const retained = this.#cache.current(tenantId, filter) ?? (await this.#cache.read(tenantId, filter));
        await this.#send(subscription, retained, retained.matching(filter));
        return;
      } catch (error) {
        this.#deps.logger.warn({ err: (error as Error).message }, "could not read retained messages; retrying");
        await pause(RETRY_MS);
      }
    }
  }

  /** Sends each topic's current message in turn, no faster than the client takes them. */
  async #send(subscription: Subscription, retained: TenantRetained, topics: readonly string[]): Promise<void> {
    for (const topic of topics) {
      while (isOpen(subscription) && subscription.subscriber.waitingBytes > FULL_BYTES) await pause(FULL_MS);
      if (!isOpen(subscription)) return;
      this.#sendOne(subscription, retained.message(topic));
    }
  }

  #sendOne({ subscriber, grant: { qos, subscriptionIds } }: Subscription, message: Message | undefined): void {
    if (message) subscriber.deliver({ message, qos: lowerQos(qos, message.qos), retain: true, subscriptionIds });
  }

  #written(tenantId: string, ownerId: string, message: Message, outcome: RetainOutcome): void {
    const retained = this.#cache.peek(tenantId);
    if (outcome.kind === "retained") retained?.published(ownerId, message, outcome.version);
    if (outcome.kind === "removed") retained?.removed(message.topic);
  }

  #changed(change: RetainedChange | undefined): void {
    if (!change) this.#cache.clear();
    else if (this.#cache.changed(change)) this.#followUp(change);
  }

  /**
   * Sends a changed message to clients that subscribed after another process retained it and before this one learned of
   * it.
   */
  #followUp({ tenantId, topic, version }: RetainedChange): void {
    const subscriptions = this.#recent.matching(tenantId, topic);
    if (subscriptions.length === 0) return;
    void pause(ARRIVAL_MS).then(() => {
      if (this.#cache.peek(tenantId)?.isLive(topic, version, this.#deps.clock.monotonicMs() - SINCE_MS)) return;
      for (const subscription of subscriptions) void this.#sendWhenRead(tenantId, subscription, topic);
    });
  }
}

function isOpen({ subscriber, filter }: Subscription): boolean {
  return subscriber.isSubscribedTo(filter);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
