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
    for (const look of this.#waiting) look();
  }

  find(wanted: (message: Message) => boolean): Message | undefined {
    return this.#messages.find(wanted);
  }

  /** The first message that is wanted, which may be there already; rejects when it does not come within 15 s. */
  arrival(what: string, wanted: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what} did not come`)), WAIT_MS).unref();
      const look = () => {
        const found = this.find(wanted);
        if (found === undefined) return;
        clearTimeout(late);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
