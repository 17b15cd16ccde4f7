/** The bytes of a topic alias in a PUBLISH; a topic that is not longer is sent in full. */
const ALIAS_BYTES = 3;

/**
 * The topic aliases of one connection (MQTT 5, 3.3.2.3.4). A topic gets its alias with its second message, since the
 * message that sets it is longer: a connection with one message would gain nothing.
 */
export class TopicAliases {
  readonly #maximum: number;
  /** The alias of each topic; 0 for a topic that was sent once. */
  readonly #aliases = new Map<string, number>();
  #last = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Returns the topic fields of the next message on `topic`. */
  name(topic: string): { topic: string; properties?: { topicAlias: number } } {
    const alias = this.#aliases.get(topic);
    if (alias !== undefined && alias > 0) return { topic: "", properties: { topicAlias: alias } };
    if (this.#last >= this.#maximum || topic.length <= ALIAS_BYTES) return { topic };
    if (alias === undefined) {
      // The map is bounded, however many topics there are.
      if (this.#aliases.size < this.#maximum) this.#aliases.set(topic, 0);
      return { topic };
    }
    this.#last += 1;
    this.#aliases.set(topic, this.#last);
    return { topic, properties: { topicAlias: this.#last } };
  }
}
