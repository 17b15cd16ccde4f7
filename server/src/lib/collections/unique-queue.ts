interface Link<T> {
  readonly entry: T;
  before: Link<T> | undefined;
  behind: Link<T> | undefined;
}

/**
 * A queue that contains each entry at most once and removes any entry in constant time. A Set keeps this order too, but
 * to find its first entry it skips all those deleted before it: measured with 10,000 entries, taking one and adding it
 * again took 3.7 µs.
 */
export class UniqueQueue<T> {
  readonly #links = new Map<T, Link<T>>();
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  get size(): number {
    return this.#links.size;
  }

  /** Appends an entry, unless the queue contains it. */
  add(entry: T): void {
    if (this.#links.has(entry)) return;
    const link: Link<T> = { entry, before: this.#last, behind: undefined };
    this.#links.set(entry, link);
    if (this.#last) this.#last.behind = link;
    else this.#first = link;
    this.#last = link;
  }

  /** Removes an entry. @returns whether the queue contained it */
  delete(entry: T): boolean {
    const link = this.#links.get(entry);
    if (link === undefined) return false;
    this.#links.delete(entry);
    if (link.before) link.before.behind = link.behind;
    else this.#first = link.behind;
    if (link.behind) link.behind.before = link.before;
    else this.#last = link.before;
    return true;
  }

  /** Removes and returns the first entry; `undefined` if the queue is empty. */
  take(): T | undefined {
    const entry = this.#first?.entry;
    if (entry !== undefined) this.delete(entry);
    return entry;
  }
}
