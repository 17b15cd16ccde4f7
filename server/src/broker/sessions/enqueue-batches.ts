import type { NewStoredMessage, StoredSessions } from "../../connections/connections.ts";
import { type CoalescedRuns, coalesceRuns } from "../../lib/coalesce-runs.ts";
import { PendingByOwner } from "./pending-by-owner.ts";

export interface EnqueueDeps {
  stored: Pick<StoredSessions, "enqueue">;
  /** Reports messages for which their stored session had no room. */
  onUnstored(count: number): void;
}

interface Waiting {
  messages: NewStoredMessage[];
  resolve(): void;
  reject(error: unknown): void;
}

/** Stores messages for clients that are not connected: while one batch is stored, the next one collects. */
export class EnqueueBatches {
  readonly #deps: EnqueueDeps;
  readonly #runs: CoalescedRuns;
  /**
   * Stored sessions being written at the end of their connection, here or elsewhere. Later messages are stored after
   * them.
   */
  readonly #parting = new PendingByOwner();
  #waiting = new Map<string, Waiting[]>();

  constructor(deps: EnqueueDeps) {
    this.#deps = deps;
    this.#runs = coalesceRuns(() => this.#storeAll());
  }

  /** Resolves when the messages are durable or had no room. */
  add(tenantId: string, messages: NewStoredMessage[]): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ofTenant = this.#waiting.get(tenantId);
    const waiting = { messages, resolve, reject };
    if (ofTenant) ofTenant.push(waiting);
    else this.#waiting.set(tenantId, [waiting]);
    void this.#runs.run();
    return promise;
  }

  /** Delays storing this owner's messages until `work` is done, which never rejects. */
  after(ownerId: string, work: Promise<unknown>): void {
    this.#parting.add(ownerId, work);
  }

  /** Resolves when everything added or started for this owner is done. */
  async flushed(ownerId: string): Promise<void> {
    await this.#parting.of(ownerId);
    await this.#runs.idle();
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    await this.#parting.idle();
    await this.#runs.idle();
  }

  async #storeAll(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = new Map();
    await Promise.all([...all].map(([tenantId, waiting]) => this.#store(tenantId, waiting)));
  }

  async #store(tenantId: string, waiting: Waiting[]): Promise<void> {
    try {
      const messages = waiting.flatMap((each) => each.messages);
      await Promise.all(messages.map(({ ownerId }) => this.#parting.of(ownerId)));
      const refused = await this.#deps.stored.enqueue(tenantId, messages);
      if (refused > 0) this.#deps.onUnstored(refused);
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
