import { PacketProblem } from "../../codec/problem.ts";
import type { PublishPacket } from "../../codec/read-publish.ts";

/** The topic aliases that the client of one connection has set (MQTT 5, 3.3.2.3.4). */
export class IncomingAliases {
  readonly #max: number;
  readonly #topics = new Map<number, string>();

  /** @param max the topic alias maximum of the CONNACK [MQTT-3.3.2-12] */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Returns the topic of a message with an alias: its own, which the alias then stands for, or the alias's. @throws
   * {PacketProblem}
   */
  topicOf(topic: string, alias: number): string {
    if (alias > this.#max) throw new PacketProblem("a topic alias above the maximum", "topic_alias_invalid");
    if (topic !== "") {
      this.#topics.set(alias, topic);
      return topic;
    }
    const known = this.#topics.get(alias);
    if (known === undefined) throw new PacketProblem("an unknown topic alias", "protocol_error");
    return known;
  }
}

/** Replaces a message's empty topic with that of its alias. */
export function resolveAlias(packet: PublishPacket, aliases: IncomingAliases): void {
  const alias = packet.properties?.topicAlias;
  if (alias !== undefined) packet.topic = aliases.topicOf(packet.topic, alias);
}
