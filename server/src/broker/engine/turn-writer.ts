export interface Flushable {
  flush(): void;
}

/** Flushes sessions at the end of a turn of the event loop: each costs one write, one TLS record and one system call then. */
export class TurnWriter {
  #waiting: Flushable[] = [];
  readonly #first: Flushable | undefined;

  /** @param first flushed before all others: what a client is acknowledged has left this process */
  constructor(first?: Flushable) {
    this.#first = first;
  }

  /** Once in a turn for each. */
  schedule(flushable: Flushable): void {
    if (this.#waiting.push(flushable) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#first?.flush();
    for (const flushable of waiting) flushable.flush();
  };
}
