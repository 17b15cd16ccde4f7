/** The kind of a message's arrival at a subscriber. */
export type Arrival = "new" | "late" | "again";

/** The numbers of a device's messages as they arrive at a subscriber: 0, 1, 2 … where none is lost or out of order. */
export class Arrivals {
  #next = 0;
  #missing = new Set<number>();
  #missedWhileAway = new Set<number>();
  #wasAway = false;

  /** @returns `late` where a higher number has arrived before it, `again` for one that has arrived before */
  take(number: number): Arrival {
    if (number >= this.#next) {
      const gap = this.#wasAway ? this.#missedWhileAway : this.#missing;
      for (let skipped = this.#next; skipped < number; skipped++) gap.add(skipped);
      this.#wasAway = false;
      this.#next = number + 1;
      return "new";
    }
    return this.#missing.delete(number) || this.#missedWhileAway.delete(number) ? "late" : "again";
  }

  /** Records a lost connection of the subscriber: messages until the next arrival may be missing. */
  away(): void {
    this.#wasAway = true;
  }

  /**
   * Compares with the published messages.
   *
   * @param published how many, with the numbers from 0
   * @param refused numbers that the broker has refused
   */
  compare(published: number, refused: ReadonlySet<number>): { lost: number; missedWhileAway: number } {
    const tail = Math.max(0, published - this.#next);
    const count = (numbers: ReadonlySet<number>) => [...numbers].filter((number) => !refused.has(number)).length;
    const refusedInTail = [...refused].filter((number) => number >= this.#next).length;
    const unseen = tail - refusedInTail;
    const lost = count(this.#missing) + (this.#wasAway ? 0 : unseen);
    return { lost, missedWhileAway: count(this.#missedWhileAway) + (this.#wasAway ? unseen : 0) };
  }
}
