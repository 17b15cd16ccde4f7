import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Grant } from "../routing/grant.ts";
import type { Subscriber } from "../routing/router.ts";
import { FilterMap } from "../topics/filter-map.ts";

/** A subscriber that receives retained messages for its subscription. */
export interface RetainedSubscriber extends Subscriber {
  /** Whether it is connected and subscribes to this filter. */
  isSubscribedTo(filter: string): boolean;
}

export interface Subscription {
  subscriber: RetainedSubscriber;
  filter: string;
  grant: Grant;
}

/** The last subscription of each subscriber to one filter. */
type Subscriptions = Map<RetainedSubscriber, Subscription>;
type Generation = Map<string, FilterMap<Subscriptions>>;

const GENERATION_MS = 2 * SECOND;
const MOST = 10_000;

/** The subscriptions of the last seconds (four at most) by tenant and filter, at most 20,000. */
export class RecentSubscriptions {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #current: Generation = new Map();
  #former: Generation = new Map();
  #size = 0;
  #sinceMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  add(tenantId: string, subscription: Subscription): void {
    this.#turn();
    const filters = this.#current.get(tenantId) ?? new FilterMap<Subscriptions>();
    this.#current.set(tenantId, filters);
    const others = filters.get(subscription.filter);
    if (others) others.set(subscription.subscriber, subscription);
    else filters.set(subscription.filter, new Map([[subscription.subscriber, subscription]]));
    this.#size++;
  }

  /** Returns the subscriptions that match a topic. */
  matching(tenantId: string, topic: string): Subscription[] {
    this.#turn();
    const found = [this.#former, this.#current].flatMap((each) => each.get(tenantId)?.matching(topic) ?? []);
    return found.flatMap((each) => [...each.values()]);
  }

  #turn(): void {
    const nowMs = this.#clock.monotonicMs();
    const passedMs = nowMs - this.#sinceMs;
    if (passedMs < GENERATION_MS && this.#size < MOST) return;
    this.#former = passedMs < 2 * GENERATION_MS ? this.#current : new Map();
    this.#current = new Map();
    this.#size = 0;
    this.#sinceMs = nowMs;
  }
}
