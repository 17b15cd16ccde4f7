import type { RetainedSubscriber, Subscription } from "./recent-subscriptions.ts";

/**
 * Sends the retained messages of each client's subscriptions one subscription after the other. Of a filter that a client subscribes to
 * again meanwhile only the last subscription waits: a client cannot make more wait than it has filters.
 */
export class WaitingSubscriptions {
  readonly #send: (subscription: Subscription) => Promise<void>;
  /** An entry, also an empty one, means that a subscription of this client is being sent. */
  readonly #waiting = new Map<RetainedSubscriber, Map<string, Subscription>>();

  /** @param send resolves when the messages are sent, or the subscription has ended; never rejects */
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
