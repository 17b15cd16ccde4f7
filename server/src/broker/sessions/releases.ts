import { coalesceRuns } from "../../lib/coalesce-runs.ts";
import type { Bus } from "../bus/bus.ts";
import type { EnqueueBatches } from "./enqueue-batches.ts";

/**
 * The stored sessions that this process has released on the bus but not flushed. They are flushed in batches, because a
 * process may end thousands at a time.
 */
export class Releases {
  readonly #bus: Pick<Bus, "announced" | "flushed">;
  readonly #batches: Pick<EnqueueBatches, "flushed">;
  readonly #runs = coalesceRuns(() => this.#flushAll());
  #owners = new Set<string>();

  constructor(bus: Pick<Bus, "announced" | "flushed">, batches: Pick<EnqueueBatches, "flushed">) {
    this.#bus = bus;
    this.#batches = batches;
  }

  /**
   * Announces that all messages sent by other processes before they knew of the release are stored; they store their
   * own messages after that. Resolves once announced.
   */
  flush(ownerId: string): Promise<void> {
    this.#owners.add(ownerId);
    return this.#runs.run();
  }

  async #flushAll(): Promise<void> {
    const owners = this.#owners;
    this.#owners = new Set();
    await this.#bus.announced();
    await Promise.all([...owners].map((ownerId) => this.#batches.flushed(ownerId)));
    // The next run flushes an owner that has been released again.
    for (const ownerId of owners) if (!this.#owners.has(ownerId)) this.#bus.flushed(ownerId);
  }
}
