import type { RetainedSubscriber, Subscription } from "./recent-subscriptions.ts";

/**
 * Sends the retained messages of a client's subscriptions, one subscription at a time. If a client subscribes to a
 * waiting filter again, only the last subscription waits, so a client has at most as many waiting subscriptions as
 * filters.
 */
export class WaitingSubscriptions {
  readonly #send: (subscription: Subscription) => Promise<void>;
  /** Clients whose retained messages are being sent, each with its waiting subscriptions (possibly none). */
  readonly #waiting = new Map<RetainedSubscriber, Map<string, Subscription>>();

  /** @param send resolves when the messages are sent or the subscription has ended; never rejects */
  constructor(send: (subscription: Subscription) => Promise<void>) {
    this.#send = send;
  }

  add(subscription: Subscription): void {
    const { subscriber, filter } = subscription;
    const waiting = this.#waiting.get(subscriber);
    if (waiting) waiting.set(filter, subscription);
    else {
      this.#waiting.set(subscriber, new Map());
      void this.#sendAll(subscription);
    }
  }

  async #sendAll(first: Subscription): Promise<void> {
    const { subscriber } = first;
    const waiting = this.#waiting.get(subscriber)!;
    await this.#send(first);
    for (const [filter, subscription] of waiting) {
      waiting.delete(filter);
      await this.#send(subscription);
    }
    this.#waiting.delete(subscriber);
  }
}
