/** The numbers of requests by key, per limit: name of a limit → keys with their numbers. */
export type Counts = [name: string, keys: [key: string, requests: number][]][];

/** A limit that also counts the requests of other processes. */
export interface CountedLimit {
  /** Returns the requests admitted here since the last call. */
  take(): [key: string, requests: number][];
  /** Adds requests that another process has admitted. */
  add(key: string, requests: number): void;
}

/**
 * The limits of a process on single addresses and sessions. Several processes exchange the numbers of admitted
 * requests.
 */
export class RequestCounts {
  readonly #limits = new Map<string, CountedLimit>();

  /** Registers a limit. @param name the same in every process */
  register(name: string, limit: CountedLimit): void {
    this.#limits.set(name, limit);
  }

  /** Returns the requests admitted here since the last call; `undefined` if there were none. */
  take(): Counts | undefined {
    const counts: Counts = [];
    for (const [name, limit] of this.#limits) {
      const keys = limit.take();
      if (keys.length > 0) counts.push([name, keys]);
    }
    return counts.length > 0 ? counts : undefined;
  }

  /** Adds the requests that another process has admitted. */
  add(counts: Counts): void {
    for (const [name, keys] of counts) {
      const limit = this.#limits.get(name);
      for (const [key, requests] of keys) limit?.add(key, requests);
    }
  }
}
