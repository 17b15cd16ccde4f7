/** The length from which a topic is replaced by an alias, which takes three bytes. */
const SHORTEST_TOPIC = 4;

/**
 * The topic aliases known to a client, assigned to the first topics until its maximum is reached [MQTT-3.1.2-26,
 * MQTT-3.1.2-27].
 */
export class OutgoingAliases {
  readonly #max: number;
  readonly #aliases = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the alias that the client knows for a topic. */
  known(topic: string): number | undefined {
    return this.#aliases.get(topic);
  }

  /** Returns an alias for a topic without one; undefined if none is left. */
  next(topic: string): number | undefined {
    return this.#aliases.size < this.#max && topic.length >= SHORTEST_TOPIC ? this.#aliases.size + 1 : undefined;
  }

  /** Records that the client has been sent the topic with the alias that {@link next} returned. */
  sent(topic: string, alias: number): void {
    this.#aliases.set(topic, alias);
  }
}
