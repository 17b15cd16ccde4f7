import type { TLSSocket } from "node:tls";
import type { AckType } from "../codec/writers.ts";
import { writePublish } from "../codec/writers.ts";
import type { Message, Qos } from "../routing/message.ts";
import { OutBuffer } from "./out-buffer.ts";
import { OutQueue } from "./out-queue.ts";
import type { EngineParts } from "./parts.ts";
import type { Flushable } from "./turn-writer.ts";
import { Window } from "./window.ts";

export interface OutboundOwner {
  /** More waits for the client than it may have. */
  onBacklog(): void;
}

/** What one session sends. Nothing waits for a client that does not read: one that is too far behind is disconnected. */
export class Outbound implements Flushable {
  readonly #socket: TLSSocket;
  readonly #owner: OutboundOwner;
  readonly #parts: Pick<EngineParts, "limits" | "turns">;
  readonly #buffer = new OutBuffer();
  #window: Window | undefined;
  #queue: OutQueue | undefined;
  #isScheduled = false;

  constructor(socket: TLSSocket, owner: OutboundOwner, parts: Pick<EngineParts, "limits" | "turns">) {
    this.#socket = socket;
    this.#owner = owner;
    this.#parts = parts;
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
  publish(message: Message, qos: Qos, retain: boolean): void {
    if (qos === 0) {
      this.packet(writePublish({ topic: message.topic, payload: message.payload, qos, retain, packetId: 0 }));
      this.#checkBacklog();
      return;
    }
    this.#window ??= new Window(this.#parts.limits.mqttOutgoingInFlight);
    if (this.#window.isFull) {
      this.#queue ??= new OutQueue();
      this.#queue.push({ message, qos, retain });
    } else this.#send(this.#window, message, qos, retain);
    this.#checkBacklog();
  }

  /** The client has acknowledged a message, and may get the next one. A PUBREC is answered always [MQTT-4.3.3-1]. */
  acknowledged(id: number, type: "puback" | "pubrec" | "pubcomp"): void {
    this.#window?.acknowledged(id, type);
    if (type === "pubrec") this.ack("pubrel", id);
    while (this.#window && !this.#window.isFull) {
      const next = this.#queue?.shift();
      if (!next) return;
      this.#send(this.#window, next.message, next.qos, next.retain);
    }
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#buffer.bytes === 0) return;
    const bytes = this.#buffer.take();
    if (!this.#socket.destroyed && !this.#socket.writableEnded) this.#socket.write(bytes);
    this.#checkBacklog();
  }

  #send(window: Window, { topic, payload }: Message, qos: 1 | 2, retain: boolean): void {
    this.packet(writePublish({ topic, payload, qos, retain, packetId: window.take(qos) }));
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
