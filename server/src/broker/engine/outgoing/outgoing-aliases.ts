/** A shorter topic is sent instead of its alias, which takes three bytes. */
const SHORTEST_TOPIC = 4;

/** The topic aliases that a client has been sent: of the first topics, as many as it permits [MQTT-3.1.2-26, MQTT-3.1.2-27]. */
export class OutgoingAliases {
  readonly #max: number;
  readonly #aliases = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** An alias that the client knows. */
  known(topic: string): number | undefined {
    return this.#aliases.get(topic);
  }

  /** An alias for a topic that has none yet; undefined where there is none left. */
  next(topic: string): number | undefined {
    return this.#aliases.size < this.#max && topic.length >= SHORTEST_TOPIC ? this.#aliases.size + 1 : undefined;
  }

  /** The client has been sent the topic with the alias that {@link next} gave. */
  sent(topic: string, alias: number): void {
    this.#aliases.set(topic, alias);
  }
}
