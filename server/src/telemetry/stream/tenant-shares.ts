import { stream as limits } from "../../lib/limits/stream.ts";

/** The fill level below which the stream need not be divided. */
const SMALL_PART = 0.05;

/** The used and the maximum size of the stream, in bytes. */
export interface StreamRoom {
  bytes: number;
  maxBytes: number;
}

/**
 * Decides which tenants exceed their share of the stream while several send. The limit is a multiple of the free space,
 * so that a flooding tenant stops before the stream is full, and several leave room for others. A tenant's usage is
 * estimated from its share of this process's appends.
 */
export class TenantShares {
  readonly #appended = new Map<string, number>();
  #total = 0;
  #room: StreamRoom = { bytes: 0, maxBytes: 0 };
  /** The bytes appended since the room was measured. */
  #fresh = 0;

  appended(tenantId: string, bytes: number): void {
    this.#appended.set(tenantId, (this.#appended.get(tenantId) ?? 0) + bytes);
    this.#total += bytes;
    this.#fresh += bytes;
  }

  /** Records the current room, about once a second. */
  measure(room: StreamRoom): void {
    this.#room = room;
    this.#fresh = 0;
    if (room.bytes > room.maxBytes * SMALL_PART) return;
    this.#appended.clear();
    this.#total = 0;
  }

  /** Checks whether a tenant's messages must wait. */
  isAbove(tenantId: string): boolean {
    if (this.#appended.size < 2) return false;
    const { maxBytes } = this.#room;
    const bytes = this.#room.bytes + this.#fresh;
    const own = (bytes * (this.#appended.get(tenantId) ?? 0)) / this.#total;
    return own > limits.tenantTimesFree.value * (maxBytes - bytes);
  }

  /** Counts the tenants whose messages would have to wait. */
  get countAbove(): number {
    return [...this.#appended.keys()].filter((tenantId) => this.isAbove(tenantId)).length;
  }
}
