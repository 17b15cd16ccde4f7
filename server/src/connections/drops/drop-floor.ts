import type { Snapshot } from "./drop-store.ts";

/** The minimum distance re-read: a transaction draws a number slightly before PostgreSQL counts it as open. */
const MARGIN = 2_000n;

/**
 * The number up to which a node does not re-read the outbox. Numbers are drawn before the commit, so a transaction that
 * is still open may commit a lower number after a higher one, however many were drawn in between. The floor therefore
 * advances to a number that was read only once every transaction open at that time has ended.
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

  /** Records that all drops up to `newest`, as of `snapshot`, are acknowledged. */
  acknowledged(newest: bigint, { xmin, xmax }: Snapshot): void {
    if (this.#next && BigInt(xmin) >= this.#next.xmax) {
      if (this.#next.floor > this.#floor) this.#floor = this.#next.floor;
      this.#next = undefined;
    }
    this.#next ??= { floor: newest - MARGIN, xmax: BigInt(xmax) };
  }

  /** Lowers the floor below `newest`: a crash of the database has lost numbers and ended all transactions. */
  lower(newest: bigint): void {
    this.#next = undefined;
    if (newest - MARGIN < this.#floor) this.#floor = newest - MARGIN;
  }
}
