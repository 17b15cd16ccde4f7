import type { Socket } from "node:net";
import { PacketProblem } from "../../codec/problem.ts";
import type { Properties } from "../../codec/property-table.ts";
import { type AckType, writeAck5, writeDisconnect } from "../../codec/writers.ts";
import type { Delivery, UnacknowledgedDelivery } from "../../message.ts";
import { COUNTED_BYTES } from "../../outgoing-budget.ts";
import { ACK_TEXTS, DISCONNECT_TEXTS } from "../../policy/answers.ts";
import type { EngineParts } from "../parts.ts";
import type { Flushable } from "../turn-writer.ts";
import { OutBuffer } from "./out-buffer.ts";
import { OutQueue } from "./out-queue.ts";
import { type ClientLimits, PublishEncoder } from "./publish-encoder.ts";
import { Tracked } from "./tracked.ts";
import { Window } from "./window.ts";

/** The number of unsent bytes from which a client counts as not reading. */
const READY_BYTES = 64 * 1024;

const DUP = 8;

export interface OutboundOwner {
  /** Ends the session: more bytes wait for the client than allowed. */
  onBacklog(): void;
  /** Called when bytes wait for the client of an accepted session. */
  onWaiting(): void;
}

/** Sends one session's packets. A client that falls too far behind is disconnected instead of being waited for. */
export class Outbound implements Flushable {
  readonly #socket: Socket;
  readonly #owner: OutboundOwner;
  readonly #parts: Pick<EngineParts, "limits" | "turns" | "clock">;
  readonly #buffer = new OutBuffer();
  #window: Window | undefined;
  #queue: OutQueue | undefined;
  #tracked: Tracked | undefined;
  #keepsSent = false;
  #isScheduled = false;
  #isCounted = false;
  /** The limit of an MQTT 5 client [MQTT-3.3.4-9]. */
  #receiveMaximum = Infinity;
  #maximumPacketSize = Infinity;
  /** Whether the client wants reason strings [MQTT-3.1.2-29]. */
  #explains = false;
  #encoder: PublishEncoder;

  constructor(socket: Socket, owner: OutboundOwner, parts: Pick<EngineParts, "limits" | "turns" | "clock">) {
    this.#socket = socket;
    this.#owner = owner;
    this.#parts = parts;
    this.#encoder = new PublishEncoder(parts.clock, undefined);
  }

  /** Sets the limits of an MQTT 5 client. */
  limitTo(client: ClientLimits): void {
    this.#receiveMaximum = client.receiveMaximum;
    this.#maximumPacketSize = client.maximumPacketSize;
    this.#explains = client.wantsReasons;
    this.#encoder = new PublishEncoder(this.#parts.clock, client);
  }

  packet(packet: Buffer): void {
    this.#buffer.packet(packet);
    this.#schedule();
  }

  /**
   * Sends an MQTT 5 DISCONNECT, without its properties if the client's maximum packet size excludes them
   * [MQTT-3.14.2-3].
   */
  disconnect(code: number, properties?: Properties): void {
    const packet = writeDisconnect(code, properties ?? this.#explanation(DISCONNECT_TEXTS[code]));
    const fitting = [packet, writeDisconnect(code)].find((each) => this.permits(each));
    if (fitting) this.packet(fitting);
  }

  /** Whether the client permits a packet of this length. */
  permits(packet: Buffer): boolean {
    return packet.length <= this.#maximumPacketSize;
  }

  /** Sends an MQTT 5 acknowledgement that reports a failure, in the same way [MQTT-3.4.2-2, MQTT-3.5.2-2]. */
  refusal(type: "puback" | "pubrec", packetId: number, code: number, reason: string | undefined): void {
    const packet = writeAck5(type, packetId, code, this.#explanation(reason ?? ACK_TEXTS[code]));
    this.packet(this.permits(packet) ? packet : writeAck5(type, packetId, code));
  }

  #explanation(reasonString: string | undefined): Properties | undefined {
    return this.#explains && reasonString !== undefined ? { reasonString } : undefined;
  }

  ack(type: AckType, packetId: number): void {
    this.#buffer.ack(type, packetId);
    this.#schedule();
  }

  /** Sends a message, or queues it until the client has acknowledged enough of the others [MQTT-4.6.0-5]. */
  publish(delivery: Delivery): void {
    if (delivery.message.isExpired(this.#parts.clock.monotonicMs())) {
      delivery.onFinished?.(false);
      return;
    }
    if (delivery.qos === 0) {
      const packet = this.#encoder.encode(delivery, 0);
      if (packet) this.packet(packet);
      this.#checkBacklog();
      return;
    }
    const window = this.#openWindow();
    if (window.isFull) {
      this.#queue ??= new OutQueue();
      this.#queue.push(delivery);
      this.#countWaiting();
    } else this.#send(window, delivery);
    this.#checkBacklog();
  }

  /** Tracks QoS 1 and 2 messages until they are acknowledged, because the session will be stored at its end. */
  keepSent(): void {
    this.#keepsSent = true;
  }

  /** Reserves packet ids for messages that will be sent again under them. */
  reserve(packetIds: readonly number[]): void {
    const window = this.#openWindow();
    for (const id of packetIds) window.reserve(id);
  }

  /** Repeats a PUBREL, because the client has received the message [MQTT-4.4.0-1]. */
  releaseAgain(packetId: number, delivery: Delivery): void {
    this.#openWindow().takeAgain(packetId, 2, true);
    this.#track(packetId, delivery);
    this.ack("pubrel", packetId);
  }

  /** Returns the unacknowledged messages, in order, except those that another session will get. */
  unacknowledged(): UnacknowledgedDelivery[] {
    const sent = this.#tracked?.all((packetId) => this.#window!.isReleased(packetId)) ?? [];
    const waiting = this.#queue?.all() ?? [];
    return [...sent, ...waiting.map((delivery) => ({ delivery, packetId: undefined, isReleased: false }))].filter(
      ({ delivery, packetId }) => !delivery.redeliver || (delivery.qos === 2 && packetId !== undefined),
    );
  }

  /**
   * Handles an acknowledgement and sends the next message. A PUBREC is answered [MQTT-4.3.3-1] unless it reports a
   * failure.
   *
   * @throws {PacketProblem} for an acknowledgement that does not match the message's QoS
   */
  acknowledged(id: number, type: "puback" | "pubrec" | "pubcomp", reason = 0): void {
    if (this.#window?.contradicts(id, type))
      throw new PacketProblem("an acknowledgement of another QoS", "protocol_error");
    const isRefused = type === "pubrec" && reason >= 0x80;
    const isOver = this.#window?.acknowledged(id, type) || (isRefused && this.#window?.acknowledged(id, "pubcomp"));
    if (type === "pubrec" && !isRefused) this.ack("pubrel", id);
    if (isOver) this.#tracked?.finish(id);
    while (this.#window && !this.#window.isFull) {
      const next = this.#queue?.shift();
      if (!next) return;
      if (next.message.isExpired(this.#parts.clock.monotonicMs())) next.onFinished?.(false);
      else this.#send(this.#window, next);
    }
  }

  /**
   * The bytes that wait for the client: unsent, queued until it acknowledges others, or tracked in case another session
   * needs them.
   */
  get waitingBytes(): number {
    return this.#unsentBytes + (this.#queue?.bytes ?? 0) + (this.#tracked?.bytes ?? 0);
  }

  /** Whether a message would be sent immediately. */
  get isReady(): boolean {
    return !this.#window?.isFull && this.isRead;
  }

  /** Sends shared-subscription messages that the client has not taken to other sessions. */
  redeliver(): void {
    // A QoS 2 message of a shared subscription must not be sent to another client [MQTT-4.8.2-5].
    const waiting: Delivery[] = (this.#tracked?.take() ?? []).filter(({ qos }) => qos === 1);
    for (let next = this.#queue?.shift(); next; next = this.#queue?.shift()) waiting.push(next);
    for (const { redeliver } of waiting) redeliver?.();
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#buffer.bytes === 0) return;
    const bytes = this.#buffer.take();
    if (!this.#socket.destroyed && !this.#socket.writableEnded) this.#socket.write(bytes);
    this.#checkBacklog();
    this.#countWaiting();
  }

  /** Sends a message. One that is too long for the client is dropped as if it had been sent [MQTT-3.1.2-25]. */
  #send(window: Window, delivery: Delivery): void {
    const { packetId: former } = delivery;
    const qos = delivery.qos as 1 | 2;
    const packetId = former === undefined ? window.take(qos) : window.takeAgain(former, qos);
    const packet = this.#encoder.encode(delivery, packetId);
    if (!packet) {
      window.forget(packetId);
      delivery.onFinished?.(false);
      return;
    }
    // [MQTT-3.3.1-1]
    if (former !== undefined) packet[0]! |= DUP;
    this.packet(packet);
    if (this.#keepsSent || Tracked.concerns(delivery)) this.#track(packetId, delivery);
  }

  #track(packetId: number, delivery: Delivery): void {
    this.#tracked ??= new Tracked();
    this.#tracked.add(packetId, delivery);
  }

  #openWindow(): Window {
    this.#window ??= new Window(Math.min(this.#parts.limits.mqttOutgoingInFlight, this.#receiveMaximum));
    return this.#window;
  }

  /** Whether the client reads its packets. */
  get isRead(): boolean {
    return this.#unsentBytes < READY_BYTES;
  }

  get #unsentBytes(): number {
    return this.#socket.writableLength + this.#buffer.bytes;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#parts.turns.schedule(this);
  }

  #checkBacklog(): void {
    if (this.waitingBytes > this.#parts.limits.mqttBacklogBytes) this.#owner.onBacklog();
  }

  /**
   * Updates the waiting bytes once per turn and when a message is queued. The budgets need not be exact within a turn.
   */
  #countWaiting(): void {
    const isWaiting = this.waitingBytes >= COUNTED_BYTES;
    if (isWaiting || this.#isCounted) this.#owner.onWaiting();
    this.#isCounted = isWaiting;
  }
}
