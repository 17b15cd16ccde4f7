interface Interest {
  tenantId: string;
  filter: string;
  count: number;
}

/** Counts how often this process's sessions subscribe to each filter, and numbers the changes between none and some. */
export class OwnInterest {
  readonly #filters = new Map<string, Interest>();
  /** The number of the last change announced to other processes. */
  number = 0;

  /** @returns whether the change must be announced to other processes */
  change(tenantId: string, filter: string, isOn: boolean): boolean {
    const key = `${tenantId} ${filter}`;
    const known = this.#filters.get(key) ?? { tenantId, filter, count: 0 };
    known.count += isOn ? 1 : -1;
    if (known.count > 0) this.#filters.set(key, known);
    else this.#filters.delete(key);
    const isChange = isOn ? known.count === 1 : known.count === 0;
    if (isChange) this.number++;
    return isChange;
  }

  [Symbol.iterator](): IterableIterator<Interest> {
    return this.#filters.values();
  }
}
