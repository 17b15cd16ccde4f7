interface Generation<K, V> {
  entries: Map<K, V>;
  units: number;
}

/**
 * A cache that drops what was not used for longest. It has two generations: what is used moves to the new one, and when that is half of
 * the cache, it becomes the old one and what is left of the old one is dropped. An order of use, which costs at every use, is not kept.
 */
export class RecentMap<K, V> {
  readonly #most: number;
  readonly #unitsOf: (value: V) => number;
  #recent: Generation<K, V> = empty();
  #older: Generation<K, V> = empty();

  /**
   * @param most units that it never exceeds; of those used last, half of that always stay
   * @param unitsOf what an entry counts as, the same for as long as it is here; one when absent
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
