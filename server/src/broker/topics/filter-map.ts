import { TopicTrie } from "./topic-trie.ts";

interface ByFilter<V> {
  get(filter: string): V | undefined;
  set(filter: string, value: V): unknown;
  delete(filter: string): unknown;
}

/** Values by filter. Filters without wildcards are found with a single look-up. */
export class FilterMap<V> {
  readonly #exact = new Map<string, V>();
  readonly #wildcards = new TopicTrie<V>();

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#wildcards.size === 0;
  }

  get(filter: string): V | undefined {
    return this.#ofKind(filter).get(filter);
  }

  set(filter: string, value: V): void {
    this.#ofKind(filter).set(filter, value);
  }

  delete(filter: string): void {
    this.#ofKind(filter).delete(filter);
  }

  /** Returns the values of the filters that match `topic`. */
  matching(topic: string): V[] {
    const exact = this.#exact.get(topic);
    if (this.#wildcards.size === 0) return exact === undefined ? [] : [exact];
    const found = this.#wildcards.matchingTopic(topic);
    if (exact !== undefined) found.push(exact);
    return found;
  }

  #ofKind(filter: string): ByFilter<V> {
    return filter.includes("+") || filter.includes("#") ? this.#wildcards : this.#exact;
  }
}
