export interface Flushable {
  flush(): void;
}

/** Flushes sessions at the end of a turn of the event loop: each costs one write, one TLS record and one system call then. */
export class TurnWriter {
  #waiting: Flushable[] = [];

  /** Once in a turn for each. */
  schedule(flushable: Flushable): void {
    if (this.#waiting.push(flushable) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const flushable of waiting) flushable.flush();
  };
}
