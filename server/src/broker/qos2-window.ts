import type { BrokerLimits } from "./limits.ts";
import { PacketProblem } from "./packet-rules.ts";

/**
 * The QoS 2 messages of one client between their PUBLISH and their PUBREL. The engine gets a limited number at once; further ones are
 * held back here without a PUBREC, which a client that respects no window (MQTT 3.1.1 has none) only notices as a delay. Bytes of both
 * are limited too.
 */
export class Qos2Window {
  readonly #limits: Pick<BrokerLimits, "qos2InFlight" | "qos2Bytes">;
  /** Packet id → bytes, of messages that the engine has. */
  readonly #open = new Map<number, number>();
  /** Packet id → the packet, in the order of arrival. */
  readonly #queued = new Map<number, Buffer>();
  #bytes = 0;

  constructor(limits: Pick<BrokerLimits, "qos2InFlight" | "qos2Bytes">) {
    this.#limits = limits;
  }

  /**
   * Whether a message may pass to the engine now. If not, {@link queue} must keep it.
   *
   * @throws PacketProblem where the client repeats a packet id that is held back, or where the bytes are used up
   */
  admit(id: number, bytes: number): boolean {
    if (this.#open.has(id)) return true;
    if (this.#queued.has(id)) throw new PacketProblem("a packet id is used twice");
    if (this.#bytes + bytes > this.#limits.qos2Bytes) throw new PacketProblem("too many bytes are not released");
    this.#bytes += bytes;
    if (this.#queued.size > 0 || this.#open.size >= this.#limits.qos2InFlight) return false;
    this.#open.set(id, bytes);
    return true;
  }

  queue(id: number, packet: Buffer): void {
    this.#queued.set(id, packet);
  }

  /** The client has sent PUBREL. */
  release(id: number): void {
    const bytes = this.#open.get(id);
    if (bytes === undefined) return;
    this.#open.delete(id);
    this.#bytes -= bytes;
  }

  /** Whether a message that was held back may pass now. */
  get hasNext(): boolean {
    return this.#queued.size > 0 && this.#open.size < this.#limits.qos2InFlight;
  }

  /** The next message that was held back and may pass now. */
  next(): Buffer | undefined {
    if (!this.hasNext) return undefined;
    const [id, packet] = this.#queued.entries().next().value!;
    this.#queued.delete(id);
    this.#open.set(id, packet.length);
    return packet;
  }
}
