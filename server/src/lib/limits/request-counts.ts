/** How many requests each key has made: name of a limit → keys with their numbers. */
export type Counts = [name: string, keys: [key: string, requests: number][]][];

/** A limit whose requests other processes count, too. */
export interface CountedLimit {
  /** What was admitted here since the last call. */
  take(): [key: string, requests: number][];
  /** What was admitted in another process. */
  add(key: string, requests: number): void;
}

/** The limits of a process on single addresses and sessions. Where several processes serve, they exchange what they have admitted. */
export class RequestCounts {
  readonly #limits = new Map<string, CountedLimit>();

  /** @param name the same in every process */
  register(name: string, limit: CountedLimit): void {
    this.#limits.set(name, limit);
  }

  /** What was admitted here since the last call; undefined for nothing. */
  take(): Counts | undefined {
    const counts: Counts = [];
    for (const [name, limit] of this.#limits) {
      const keys = limit.take();
      if (keys.length > 0) counts.push([name, keys]);
    }
    return counts.length > 0 ? counts : undefined;
  }

  /** What another process has admitted. */
  add(counts: Counts): void {
    for (const [name, keys] of counts) {
      const limit = this.#limits.get(name);
      for (const [key, requests] of keys) limit?.add(key, requests);
    }
  }
}
