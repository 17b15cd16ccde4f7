import { stream as limits } from "../../lib/limits/stream.ts";

/** Below this part of its size the stream has nothing to divide. */
const SMALL_PART = 0.05;

/** What the stream holds, and may hold, in bytes. */
export interface StreamRoom {
  bytes: number;
  maxBytes: number;
}

/**
 * Which tenants have more of the stream than they may while several send: at most some times what is still free, so that one that floods stops before the
 * stream is full, and several leave room for others. What a tenant has is estimated by its part of what this process has appended.
 */
export class TenantShares {
  readonly #appended = new Map<string, number>();
  #total = 0;
  #room: StreamRoom = { bytes: 0, maxBytes: 0 };
  /** Since the room was measured. */
  #fresh = 0;

  appended(tenantId: string, bytes: number): void {
    this.#appended.set(tenantId, (this.#appended.get(tenantId) ?? 0) + bytes);
    this.#total += bytes;
    this.#fresh += bytes;
  }

  /** @param room as of now; about once a second */
  measure(room: StreamRoom): void {
    this.#room = room;
    this.#fresh = 0;
    if (room.bytes > room.maxBytes * SMALL_PART) return;
    this.#appended.clear();
    this.#total = 0;
  }

  /** Whether a tenant's messages must wait. */
  isAbove(tenantId: string): boolean {
    if (this.#appended.size < 2) return false;
    const { maxBytes } = this.#room;
    const bytes = this.#room.bytes + this.#fresh;
    const own = (bytes * (this.#appended.get(tenantId) ?? 0)) / this.#total;
    return own > limits.tenantTimesFree.value * (maxBytes - bytes);
  }

  /** How many tenants wait, should they send. */
  get countAbove(): number {
    return [...this.#appended.keys()].filter((tenantId) => this.isAbove(tenantId)).length;
  }
}
