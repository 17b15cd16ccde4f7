export interface Flushable {
  flush(): void;
}

/**
 * Flushes sessions at the end of a turn of the event loop, so each costs one write, one TLS record and one system call.
 */
export class TurnWriter {
  #waiting: Flushable[] = [];
  readonly #first: Flushable | undefined;

  /** @param first flushed before all others: a message must leave this process before its acknowledgement does */
  constructor(first?: Flushable) {
    this.#first = first;
  }

  /** Schedules a flush; must be called at most once per turn for each. */
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
