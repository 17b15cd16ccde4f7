import type { BrokerLimits } from "./limits.ts";
import { PacketProblem } from "./packet-rules.ts";
import type { SessionBudget } from "./session-budget.ts";

/**
 * The QoS 2 messages of one client between their PUBLISH and their PUBREL. The engine gets a limited number at once, and keeps of each
 * only its packet id once it is stored. Further ones are held back here without a PUBREC, which a client that respects no window (MQTT
 * 3.1.1 has none) only notices as a delay; their bytes are limited.
 */
export class Qos2Window {
  readonly #limits: Pick<BrokerLimits, "qos2InFlight" | "qos2Bytes">;
  /** Packet ids of messages that the engine has. */
  readonly #open = new Set<number>();
  /** Packet id → the packet, in the order of arrival. */
  readonly #deferred = new Map<number, Buffer>();
  #bytes = 0;
  #budget: Pick<SessionBudget, "defer" | "undefer"> | undefined;

  constructor(limits: Pick<BrokerLimits, "qos2InFlight" | "qos2Bytes">) {
    this.#limits = limits;
  }

  /** Counts what is held back against the budget of the session, from now on. */
  countIn(budget: Pick<SessionBudget, "defer" | "undefer">): void {
    this.#budget = budget;
  }

  /**
   * Whether a message may pass to the engine now. If not, {@link keep} must keep it.
   *
   * @throws PacketProblem where the client repeats a packet id that is held back, or where too many bytes are
   */
  admit(id: number, bytes: number): boolean {
    if (this.#open.has(id)) return true;
    if (this.#deferred.has(id)) throw new PacketProblem("a packet id is used twice");
    if (this.#deferred.size > 0 || this.#open.size >= this.#limits.qos2InFlight) {
      const fits = this.#bytes + bytes <= this.#limits.qos2Bytes && (this.#budget?.defer(bytes) ?? true);
      if (!fits) throw new PacketProblem("too many bytes are not released");
      this.#bytes += bytes;
      return false;
    }
    this.#open.add(id);
    return true;
  }

  keep(id: number, packet: Buffer): void {
    this.#deferred.set(id, packet);
  }

  /** The client has sent PUBREL. */
  release(id: number): void {
    this.#open.delete(id);
  }

  /** Whether a message that was held back may pass now. */
  get hasNext(): boolean {
    return this.#deferred.size > 0 && this.#open.size < this.#limits.qos2InFlight;
  }

  /** The next message that was held back and may pass now. */
  next(): Buffer | undefined {
    if (!this.hasNext) return undefined;
    const [id, packet] = this.#deferred.entries().next().value!;
    this.#deferred.delete(id);
    this.#open.add(id);
    this.#bytes -= packet.length;
    this.#budget?.undefer(packet.length);
    return packet;
  }
}
