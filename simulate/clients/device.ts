import type { Packet } from "mqtt-packet";
import { isFailure, reasonText } from "../../agent/src/connection/reasons.ts";
import { LoadClient, type Shared } from "./client.ts";
import { credentialsOf } from "./connection.ts";
import { payloadOf } from "./payload.ts";
import { type DeviceIdentity, type DeviceResult, type LoadPlan, nowMs, type Qos } from "./protocol.ts";

/** The messages that Muster takes of a client without an acknowledgement (its receive maximum). */
const WINDOW = 64;
const COMMAND_SUBSCRIPTION = 1;

interface InFlight {
  readonly number: number;
  readonly payload: string;
  readonly sentAt: number;
  isRepeated: boolean;
}

/** A device that publishes 0, 1, 2 …, and repeats unacknowledged messages when it is connected again. */
export class SimulatedDevice extends LoadClient {
  readonly identity: DeviceIdentity;
  published = 0;
  /** When its session ended after {@link expectEnd}. */
  endedAt: number | undefined;
  readonly #qos: Qos;
  readonly #plan: Pick<LoadPlan, "metrics" | "hasOwnTimes" | "receivesCommands">;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #refused: number[] = [];
  readonly #repeated = new Set<number>();
  readonly #commands = new Set<number>();
  #packetId = COMMAND_SUBSCRIPTION;
  #lastTimeMs = 0;

  constructor(shared: Shared, { identity, qos, home }: LoadPlan["devices"][number], plan: LoadPlan) {
    super(shared, home, credentialsOf(identity));
    this.identity = identity;
    this.#qos = qos;
    this.#plan = plan;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Publishes the next message unless it is not connected or {@link WINDOW} acknowledgements are missing. */
  publish(): void {
    if (!this.isConnected || this.#inFlight.size >= WINDOW) return;
    const sentAt = nowMs();
    const { hasOwnTimes, metrics } = this.#plan;
    // Device and time are the key of a reading, so each message has a time of its own.
    this.#lastTimeMs = Math.max(this.#lastTimeMs + 1, Math.floor(sentAt));
    const marks = { number: this.published, sentAt, address: this.address };
    const payload = payloadOf(marks, hasOwnTimes ? this.#lastTimeMs : undefined, metrics);
    this.published++;
    this.shared.figures().add("published");
    this.#send({ number: marks.number, payload, sentAt, isRepeated: false });
  }

  /** Announces that its certificate is about to be revoked: it stays away once its session has ended. */
  expectEnd(): void {
    this.expectsEnd = true;
    if (this.isConnected) return;
    this.endedAt = nowMs();
    this.stop();
  }

  result(): DeviceResult {
    return {
      deviceId: this.identity.deviceId,
      topic: this.identity.topic,
      qos: this.#qos,
      published: this.published,
      refused: this.#refused,
      repeated: [...this.#repeated],
      unacknowledged: [...this.#inFlight.values()].map(({ number }) => number),
      isRevoked: this.expectsEnd,
      commands: [...this.#commands],
    };
  }

  protected override onConnected(): void {
    const { commandTopic } = this.identity;
    if (this.#plan.receivesCommands && commandTopic !== undefined) {
      const subscriptions = [{ topic: commandTopic, qos: 1 as const }];
      this.send({ cmd: "subscribe", messageId: COMMAND_SUBSCRIPTION, subscriptions });
    }
    const repeated = [...this.#inFlight.values()];
    this.#inFlight.clear();
    this.shared.figures().add("published again", repeated.length);
    for (const message of repeated) {
      this.#repeated.add(message.number);
      this.#send({ ...message, isRepeated: true });
    }
  }

  protected override onLost(): void {
    if (this.expectsEnd) this.endedAt = nowMs();
  }

  protected override onPacket(packet: Packet): void {
    if (packet.cmd === "puback" || packet.cmd === "pubcomp") this.#acknowledged(packet.cmd, packet);
    else if (packet.cmd === "pubrec") this.#received(packet);
    else if (packet.cmd === "publish") this.#takeCommand(packet.payload, packet.qos, packet.messageId);
    else if (packet.cmd === "suback") this.#subscribed(packet.granted);
  }

  #send(message: InFlight): void {
    const qos = this.#qos;
    const about = { cmd: "publish", topic: this.identity.topic, payload: message.payload, retain: false } as const;
    if (qos > 0) {
      this.#packetId = (this.#packetId % 65_535) + 1;
      this.#inFlight.set(this.#packetId, message);
    }
    this.send({ ...about, qos, dup: false, ...(qos > 0 ? { messageId: this.#packetId } : {}) });
  }

  #acknowledged(cmd: string, { messageId = 0, reasonCode = 0 }: { messageId?: number; reasonCode?: number }): void {
    const message = this.#inFlight.get(messageId);
    if (!message) return;
    this.#inFlight.delete(messageId);
    const figures = this.shared.figures();
    if (isFailure(reasonCode)) {
      figures.error(`${cmd.toUpperCase()}: ${reasonText(reasonCode)}`);
      this.#refused.push(message.number);
      return;
    }
    figures.add("acknowledged");
    if (!message.isRepeated) figures.time("acknowledgement", nowMs() - message.sentAt);
  }

  #received(packet: { messageId?: number; reasonCode?: number }): void {
    if (isFailure(packet.reasonCode ?? 0)) this.#acknowledged("pubrec", packet);
    else this.send({ cmd: "pubrel", messageId: packet.messageId ?? 0 });
  }

  #takeCommand(payload: string | Buffer, qos: Qos, messageId = 0): void {
    if (qos === 1) this.send({ cmd: "puback", messageId });
    const { number, sentAt } = JSON.parse(String(payload));
    if (this.#commands.has(number)) return;
    this.#commands.add(number);
    const figures = this.shared.figures();
    figures.add("commands");
    figures.time("command", nowMs() - sentAt);
  }

  #subscribed(granted: readonly (number | object)[]): void {
    const [code] = granted;
    if (typeof code === "number" && isFailure(code)) this.shared.figures().error(`SUBACK: ${reasonText(code)}`);
  }
}
