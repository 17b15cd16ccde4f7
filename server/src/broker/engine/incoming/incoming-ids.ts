import { crc32 } from "node:zlib";
import { hasOwnMemory } from "../../codec/packet-memory.ts";
import { PacketProblem } from "../../codec/problem.ts";
import type { PublishPacket } from "../../codec/read-publish.ts";
import type { BrokerLimits } from "../../limits.ts";
import type { SessionBudget } from "../../session-budget.ts";

interface Arrivals {
  /** The checksum of the last message; `undefined` before one has arrived on this connection. */
  checksum: number | undefined;
  count: number;
}

const MAX_ARRIVALS = 2;

interface Deferred {
  packet: PublishPacket;
  bytes: number;
}

/**
 * The QoS 2 messages of one client between their PUBLISH and their PUBREL (MQTT 3.1.1, 4.3.3, method B). A limited
 * number is open at a time, each stored as its packet id only. Further messages are deferred without a PUBREC; a client
 * that ignores the window (MQTT 3.1.1 has none) sees only a delay. Their bytes are limited.
 */
export class IncomingIds {
  readonly #limits: Pick<BrokerLimits, "qos2InFlight" | "qos2Bytes">;
  readonly #budget: Pick<SessionBudget, "defer" | "undefer">;
  /** The open ids, each with its last message's checksum and number of arrivals on this connection. */
  readonly #open: Map<number, Arrivals>;
  /** The deferred messages in order of arrival. */
  readonly #deferred = new Map<number, Deferred>();
  #bytes = 0;

  /** @param open ids of a stored session that the client has not released */
  constructor(
    limits: Pick<BrokerLimits, "qos2InFlight" | "qos2Bytes">,
    budget: Pick<SessionBudget, "defer" | "undefer">,
    open: readonly number[] = [],
  ) {
    this.#limits = limits;
    this.#budget = budget;
    this.#open = new Map(open.map((id) => [id, { checksum: undefined, count: 0 }]));
  }

  /** The ids that the client has not released. */
  get open(): number[] {
    return [...this.#open.keys()];
  }

  /** The number of open and deferred messages. */
  get size(): number {
    return this.#open.size + this.#deferred.size;
  }

  has(id: number): boolean {
    return this.#open.has(id) || this.#deferred.has(id);
  }

  /**
   * Classifies a message: it is stored and its id is open now, or it repeats an open one, or it is deferred. A
   * repetition is acknowledged [MQTT-4.3.3-10]. It must have the DUP flag [MQTT-3.3.1-1]: the third arrival of the same
   * message without it is a protocol error.
   *
   * @param bytes the length of the whole packet
   * @param isDuplicate the DUP flag
   * @throws {PacketProblem} if the client repeats a message too often, reuses a deferred packet id, or exceeds the
   * limit on deferred bytes
   */
  arrived(packet: PublishPacket, bytes: number, isDuplicate = false): "first" | "repeated" | "deferred" {
    const { packetId } = packet;
    const arrivals = this.#open.get(packetId);
    if (arrivals) {
      if (!isDuplicate) countRepeat(arrivals, packet);
      return "repeated";
    }
    if (this.#deferred.has(packetId)) throw new PacketProblem("a packet id is used twice", "protocol_error");
    if (this.#deferred.size === 0 && this.#open.size < this.#limits.qos2InFlight) {
      this.#open.set(packetId, { checksum: checksumOf(packet), count: 1 });
      return "first";
    }
    const fits = this.#bytes + bytes <= this.#limits.qos2Bytes && this.#budget.defer(bytes);
    if (!fits) throw new PacketProblem("too many bytes are not released", "protocol_error");
    this.#bytes += bytes;
    // A copy: a slice would retain the whole chunk in memory.
    const payload = hasOwnMemory(packet.payload, bytes) ? packet.payload : Buffer.from(packet.payload);
    this.#deferred.set(packetId, { packet: { ...packet, payload }, bytes });
    return "deferred";
  }

  /** Handles a PUBREL. @returns a deferred message that is open now */
  release(id: number): Deferred | undefined {
    this.#open.delete(id);
    if (this.#deferred.size === 0 || this.#open.size >= this.#limits.qos2InFlight) return undefined;
    const [next, deferred] = this.#deferred.entries().next().value!;
    this.#deferred.delete(next);
    this.#open.set(next, { checksum: checksumOf(deferred.packet), count: 1 });
    this.#bytes -= deferred.bytes;
    this.#budget.undefer(deferred.bytes);
    return deferred;
  }
}

/**
 * Counts an arrival without DUP. Another message under the same id restarts the count; it is the client's fault and not
 * forwarded.
 */
function countRepeat(arrivals: Arrivals, packet: PublishPacket): void {
  const checksum = checksumOf(packet);
  arrivals.count = checksum === arrivals.checksum ? arrivals.count + 1 : 1;
  arrivals.checksum = checksum;
  if (arrivals.count > MAX_ARRIVALS) throw new PacketProblem("a message is repeated too often", "protocol_error");
}

function checksumOf({ topic, payload }: PublishPacket): number {
  return crc32(payload, crc32(topic));
}
