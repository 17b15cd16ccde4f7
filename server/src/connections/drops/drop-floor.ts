import type { Snapshot } from "./drop-store.ts";

/** How far back numbers are read again at least: a transaction draws a number some instructions before PostgreSQL counts it among those that are open. */
const MARGIN = 2_000n;

/**
 * The number up to which a node does not read the outbox again. Numbers are drawn before the commit, so while a transaction is open that had drawn one, a lower number may
 * appear after a higher one, however many were drawn in between. So the floor follows a number that was read once every transaction has ended that was open at the time.
 */
export class DropFloor {
  #floor: bigint;
  #next: { floor: bigint; xmax: bigint } | undefined;

  constructor(newest: bigint) {
    this.#floor = newest - MARGIN;
  }

  get number(): bigint {
    return this.#floor;
  }

  /** All drops up to `newest`, as they were when `snapshot` was taken, are acknowledged. */
  acknowledged(newest: bigint, { xmin, xmax }: Snapshot): void {
    if (this.#next && BigInt(xmin) >= this.#next.xmax) {
      if (this.#next.floor > this.#floor) this.#floor = this.#next.floor;
      this.#next = undefined;
    }
    this.#next ??= { floor: newest - MARGIN, xmax: BigInt(xmax) };
  }

  /** Reads again from before `newest`: a crash of the database has taken numbers back, and ended all transactions. */
  lower(newest: bigint): void {
    this.#next = undefined;
    if (newest - MARGIN < this.#floor) this.#floor = newest - MARGIN;
  }
}
