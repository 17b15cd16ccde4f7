import type { IPublishPacket, Packet } from "mqtt-packet";
import { isFailure, reasonText } from "../../agent/src/connection/reasons.ts";
import { Arrivals } from "../figures/arrivals.ts";
import { LoadClient, type Shared } from "./client.ts";
import { marksOf } from "./payload.ts";
import { type Gateway, type GatewayResult, nowMs, type PublishedByDevice } from "./protocol.ts";

/** A gateway that subscribes to the topics of all devices and compares the arrivals with the published messages. */
export class Subscriber extends LoadClient {
  received = 0;
  /** Whether its subscription is acknowledged. */
  isSubscribed = false;
  readonly #gateway: Gateway;
  readonly #arrivals: ReadonlyMap<string, Arrivals>;
  /** The packet ids of QoS 2 messages that have arrived and are not released. */
  readonly #unreleased = new Set<number>();

  constructor(shared: Shared, gateway: Gateway, ca: string, home: number, topics: readonly string[]) {
    const { clientId, username, password } = gateway;
    super(shared, home, { tls: { ca }, connect: { clientId, username, password: Buffer.from(password) } });
    this.#gateway = gateway;
    this.#arrivals = new Map(topics.map((topic) => [topic, new Arrivals()]));
  }

  /** @param published of all devices; messages of QoS 0 may be lost */
  result(published: readonly PublishedByDevice[]): GatewayResult {
    const { clientId } = this.#gateway;
    let [lost, missedWhileAway] = [0, 0];
    for (const { topic, qos, published: count, refused } of published) {
      const missing = this.#arrivals.get(topic)?.compare(count, new Set(refused));
      if (!missing || qos === 0) continue;
      lost += missing.lost;
      missedWhileAway += missing.missedWhileAway;
    }
    return { clientId, lost, missedWhileAway };
  }

  protected override onConnected(): void {
    const subscriptions = [{ topic: this.#gateway.filter, qos: 2 as const }];
    this.send({ cmd: "subscribe", messageId: 1, subscriptions });
  }

  protected override onLost(): void {
    this.isSubscribed = false;
    this.#unreleased.clear();
    for (const each of this.#arrivals.values()) each.away();
  }

  protected override onPacket(packet: Packet): void {
    if (packet.cmd === "publish") this.#take(packet);
    else if (packet.cmd === "pubrel") {
      this.#unreleased.delete(packet.messageId ?? 0);
      this.send({ cmd: "pubcomp", messageId: packet.messageId ?? 0 });
    } else if (packet.cmd === "suback") {
      const [code] = packet.granted;
      if (typeof code === "number" && isFailure(code)) this.shared.figures().error(`SUBACK: ${reasonText(code)}`);
      else this.isSubscribed = true;
    }
  }

  #take({ topic, payload, qos, messageId = 0 }: IPublishPacket): void {
    const now = nowMs();
    if (qos === 1) this.send({ cmd: "puback", messageId });
    if (qos === 2) {
      this.send({ cmd: "pubrec", messageId });
      if (this.#unreleased.has(messageId)) return;
      this.#unreleased.add(messageId);
    }
    const arrivals = this.#arrivals.get(topic);
    const marks = arrivals && marksOf(payload);
    if (!arrivals || !marks) return;
    const figures = this.shared.figures();
    const arrival = arrivals.take(marks.number);
    if (arrival === "again") {
      figures.add("received again");
      return;
    }
    if (arrival === "late") figures.add("out of order");
    this.received++;
    figures.add("received");
    const isSame = marks.address === this.address;
    figures.time(isSame ? "delivery, same address" : "delivery, other address", now - marks.sentAt);
  }
}
