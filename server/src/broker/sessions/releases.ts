import { coalesceRuns } from "../../lib/coalesce-runs.ts";
import type { Bus } from "../bus/bus.ts";
import type { EnqueueBatches } from "./enqueue-batches.ts";

/**
 * The stored sessions that this process has released on the bus and not settled yet. They are settled together: a process may end thousands
 * at once.
 */
export class Releases {
  readonly #bus: Pick<Bus, "announced" | "settled">;
  readonly #batches: Pick<EnqueueBatches, "settled">;
  readonly #runs = coalesceRuns(() => this.#settleAll());
  #owners = new Set<string>();

  constructor(bus: Pick<Bus, "announced" | "settled">, batches: Pick<EnqueueBatches, "settled">) {
    this.#bus = bus;
    this.#batches = batches;
  }

  /**
   * Announces that what the other processes had sent for an owner before they knew of its release is stored: what they store themselves comes
   * after it. Resolves when it has.
   */
  settle(ownerId: string): Promise<void> {
    this.#owners.add(ownerId);
    return this.#runs.run();
  }

  async #settleAll(): Promise<void> {
    const owners = this.#owners;
    this.#owners = new Set();
    await this.#bus.announced();
    await Promise.all([...owners].map((ownerId) => this.#batches.settled(ownerId)));
    // Of one that has been released again, the next run says so.
    for (const ownerId of owners) if (!this.#owners.has(ownerId)) this.#bus.settled(ownerId);
  }
}
