interface Generation<K, V> {
  entries: Map<K, V>;
  units: number;
}

/**
 * A cache that evicts the least recently used entries, approximately. It keeps two generations: a used entry moves to
 * the new one, and when that fills half of the cache, it becomes the old one and the remains of the previous old one
 * are dropped. This avoids the cost of an exact usage order on every access.
 */
export class RecentMap<K, V> {
  readonly #most: number;
  readonly #unitsOf: (value: V) => number;
  #recent: Generation<K, V> = empty();
  #older: Generation<K, V> = empty();

  /**
   * @param most the capacity in units; the most recently used half of it always stays
   * @param unitsOf returns an entry's size, constant while the entry is cached; 1 if absent
   */
  constructor(most: number, unitsOf: (value: V) => number = () => 1) {
    this.#most = most;
    this.#unitsOf = unitsOf;
  }

  get size(): number {
    return this.#recent.entries.size + this.#older.entries.size;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.entries.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.entries.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const units = this.#unitsOf(value);
    if (this.#recent.units + units > this.#most / 2) {
      this.#older = this.#recent;
      this.#recent = empty();
    }
    this.#recent.entries.set(key, value);
    this.#recent.units += units;
  }

  delete(key: K): void {
    for (const generation of [this.#recent, this.#older]) {
      const value = generation.entries.get(key);
      if (value === undefined || !generation.entries.delete(key)) continue;
      generation.units -= this.#unitsOf(value);
    }
  }

  clear(): void {
    this.#recent = empty();
    this.#older = empty();
  }
}

function empty<K, V>(): Generation<K, V> {
  return { entries: new Map(), units: 0 };
}
