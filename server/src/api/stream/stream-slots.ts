import type { Limits } from "../../lib/limits/limits.ts";
import { Refusal } from "../problem.ts";

/** A stream that ends releases its slot, so a client may retry soon. */
const RETRY_SECONDS = 5;

type StreamLimits = Pick<
  Limits,
  "streams" | "streamsOfTenant" | "streamsOfSession" | "keyStreams" | "keyStreamsOfTenant" | "streamsOfKey"
>;

/** A set of slots with a maximum. */
interface Place {
  name: string;
  most: number;
  full: string;
}

/**
 * Counts the open streams of this process: of the admin app in total, per session and per tenant's sessions, and of API
 * keys in total, per key and per tenant's keys. Streams of keys take no slots from those of people.
 */
export class StreamSlots {
  readonly #limits: StreamLimits;
  readonly #open = new Map<string, number>();
  #empty = Promise.withResolvers<void>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Takes a slot. @returns a function that releases it. @throws Refusal rate_limited */
  takeForSession(sessionId: string, tenantId: string): () => void {
    const { streams, streamsOfTenant, streamsOfSession } = this.#limits;
    return this.#take([
      {
        name: `session ${sessionId}`,
        most: streamsOfSession,
        full: `a session has at most ${streamsOfSession} live streams`,
      },
      {
        name: `sessions of tenant ${tenantId}`,
        most: streamsOfTenant,
        full: `the sessions of a tenant have at most ${streamsOfTenant} live streams together`,
      },
      { name: "sessions", most: streams, full: "too many live streams are open" },
    ]);
  }

  /** Takes a slot. @returns a function that releases it. @throws Refusal rate_limited */
  takeForKey(keyId: string, tenantId: string): () => void {
    const { keyStreams, keyStreamsOfTenant, streamsOfKey } = this.#limits;
    return this.#take([
      { name: `key ${keyId}`, most: streamsOfKey, full: `a key has at most ${streamsOfKey} event streams` },
      {
        name: `keys of tenant ${tenantId}`,
        most: keyStreamsOfTenant,
        full: `the keys of a tenant have at most ${keyStreamsOfTenant} event streams together`,
      },
      { name: "keys", most: keyStreams, full: "too many event streams are open" },
    ]);
  }

  #take(places: readonly Place[]): () => void {
    const full = places.find(({ name, most }) => (this.#open.get(name) ?? 0) >= most);
    if (full) throw new Refusal("rate_limited", full.full, { extra: { retryAfterSeconds: RETRY_SECONDS } });
    for (const { name } of places) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    return () => {
      for (const { name } of places) this.#giveBack(name);
      if (this.#open.size > 0) return;
      this.#empty.resolve();
      this.#empty = Promise.withResolvers();
    };
  }

  #giveBack(name: string): void {
    const left = this.#open.get(name)! - 1;
    if (left === 0) this.#open.delete(name);
    else this.#open.set(name, left);
  }

  /** Resolves when no stream is open. */
  async whenEmpty(): Promise<void> {
    if (this.#open.size > 0) await this.#empty.promise;
  }
}
