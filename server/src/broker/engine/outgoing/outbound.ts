import type { TLSSocket } from "node:tls";
import type { AckType } from "../../codec/writers.ts";
import type { Delivery, OnSettled } from "../../routing/message.ts";
import type { EngineParts } from "../parts.ts";
import type { Flushable } from "../turn-writer.ts";
import { OutBuffer } from "./out-buffer.ts";
import { OutQueue } from "./out-queue.ts";
import { type ClientLimits, PublishEncoder } from "./publish-encoder.ts";
import { Window } from "./window.ts";

export interface OutboundOwner {
  /** More waits for the client than it may have. */
  onBacklog(): void;
}

/** What one session sends. Nothing waits for a client that does not read: one that is too far behind is disconnected. */
export class Outbound implements Flushable {
  readonly #socket: TLSSocket;
  readonly #owner: OutboundOwner;
  readonly #parts: Pick<EngineParts, "limits" | "turns" | "clock">;
  readonly #buffer = new OutBuffer();
  #window: Window | undefined;
  #queue: OutQueue | undefined;
  /** What follows messages that were sent, by packet id; most have nothing. */
  #settled: Map<number, OnSettled> | undefined;
  #isScheduled = false;
  /** Of a client of MQTT 5 [MQTT-3.3.4-9]. */
  #receiveMaximum = Infinity;
  #encoder: PublishEncoder;

  constructor(socket: TLSSocket, owner: OutboundOwner, parts: Pick<EngineParts, "limits" | "turns" | "clock">) {
    this.#socket = socket;
    this.#owner = owner;
    this.#parts = parts;
    this.#encoder = new PublishEncoder(parts.clock, undefined);
  }

  /** The client speaks MQTT 5 and has these limits. */
  limitTo(client: ClientLimits): void {
    this.#receiveMaximum = client.receiveMaximum;
    this.#encoder = new PublishEncoder(this.#parts.clock, client);
  }

  packet(packet: Buffer): void {
    this.#buffer.packet(packet);
    this.#schedule();
  }

  ack(type: AckType, packetId: number): void {
    this.#buffer.ack(type, packetId);
    this.#schedule();
  }

  /** Sends a message, or queues it while the client has not acknowledged enough of the others [MQTT-4.6.0-5]. */
  publish(delivery: Delivery): void {
    if (delivery.message.isExpired(this.#parts.clock.monotonicMs())) {
      delivery.onSettled?.(false);
      return;
    }
    if (delivery.qos === 0) {
      const packet = this.#encoder.encode(delivery, 0);
      if (packet) this.packet(packet);
      this.#checkBacklog();
      return;
    }
    this.#window ??= new Window(Math.min(this.#parts.limits.mqttOutgoingInFlight, this.#receiveMaximum));
    if (this.#window.isFull) {
      this.#queue ??= new OutQueue();
      this.#queue.push(delivery);
    } else this.#send(this.#window, delivery);
    this.#checkBacklog();
  }

  /** The client has acknowledged a message, and may get the next one. A PUBREC is answered [MQTT-4.3.3-1], unless it refuses. */
  acknowledged(id: number, type: "puback" | "pubrec" | "pubcomp", reason = 0): void {
    const isRefused = type === "pubrec" && reason >= 0x80;
    const isOver = this.#window?.acknowledged(id, type) || (isRefused && this.#window?.acknowledged(id, "pubcomp"));
    if (type === "pubrec" && !isRefused) this.ack("pubrel", id);
    if (isOver && this.#settled) this.#settle(this.#settled, id);
    while (this.#window && !this.#window.isFull) {
      const next = this.#queue?.shift();
      if (!next) return;
      if (next.message.isExpired(this.#parts.clock.monotonicMs())) next.onSettled?.(false);
      else this.#send(this.#window, next);
    }
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#buffer.bytes === 0) return;
    const bytes = this.#buffer.take();
    if (!this.#socket.destroyed && !this.#socket.writableEnded) this.#socket.write(bytes);
    this.#checkBacklog();
  }

  /** A packet that is too long for the client is dropped, as if it had been sent [MQTT-3.1.2-28]. */
  #send(window: Window, delivery: Delivery): void {
    const packetId = window.take(delivery.qos as 1 | 2);
    const packet = this.#encoder.encode(delivery, packetId);
    const { onSettled } = delivery;
    if (!packet) {
      window.forget(packetId);
      onSettled?.(false);
      return;
    }
    this.packet(packet);
    if (!onSettled) return;
    this.#settled ??= new Map();
    this.#settled.set(packetId, onSettled);
  }

  #settle(settled: Map<number, OnSettled>, packetId: number): void {
    const onSettled = settled.get(packetId);
    settled.delete(packetId);
    onSettled?.(true);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#parts.turns.schedule(this);
  }

  #checkBacklog(): void {
    const waiting = this.#socket.writableLength + this.#buffer.bytes + (this.#queue?.bytes ?? 0);
    if (waiting > this.#parts.limits.mqttBacklogBytes) this.#owner.onBacklog();
  }
}
