interface Interest {
  tenantId: string;
  filter: string;
  count: number;
}

/** How often the sessions of this process subscribe to each filter, and how many times that has changed between none and some. */
export class OwnInterest {
  readonly #filters = new Map<string, Interest>();
  /** Number of the last change that other processes hear of. */
  number = 0;

  /** @returns whether other processes must hear of it */
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
