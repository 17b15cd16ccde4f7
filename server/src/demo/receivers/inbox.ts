import { withTimeout } from "../../lib/timeouts.ts";

const WAIT_MS = 60_000;

/** The messages that a receiver of the demo got, in order of arrival. */
export class Inbox<Message> {
  readonly #messages: Message[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #show: (message: Message) => void;

  /** @param show called for every message as it arrives */
  constructor(show: (message: Message) => void) {
    this.#show = show;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#show(message);
    for (const check of this.#waiting) check();
  }

  find(wanted: (message: Message) => boolean): Message | undefined {
    return this.#messages.find(wanted);
  }

  /** Resolves with the first message that `wanted` selects, now or later; rejects if none arrives within a minute. */
  arrival(what: string, wanted: (message: Message) => boolean): Promise<Message> {
    const { promise, resolve } = Promise.withResolvers<Message>();
    const check = () => {
      const found = this.find(wanted);
      if (found !== undefined) resolve(found);
    };
    this.#waiting.add(check);
    check();
    const refuse = () => {
      throw new Error(`${what} did not arrive`);
    };
    return withTimeout(promise, WAIT_MS, refuse).finally(() => this.#waiting.delete(check));
  }
}
