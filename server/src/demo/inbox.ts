import { withTimeout } from "../lib/timeouts.ts";

const WAIT_MS = 15_000;

/** What one of the demo's receiving ends was sent, and those who wait for it. */
export class Inbox<Message> {
  readonly #messages: Message[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #show: (message: Message) => void;

  /** @param show told of every message as it arrives */
  constructor(show: (message: Message) => void) {
    this.#show = show;
  }

  put(message: Message): void {
    this.#messages.push(message);
    this.#show(message);
    for (const check of this.#waiting) check();
  }

  find(wanted: (message: Message) => boolean): Message | undefined {
    return this.#messages.find(wanted);
  }

  /** The first message that is wanted, which may be there already; rejects when it does not come within 15 s. */
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
