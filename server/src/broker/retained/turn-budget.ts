/** Divides work among turns of the event loop: work beyond one turn's budget waits for the next. */
export class TurnBudget {
  readonly #most: number;
  #spent = 0;
  #next: Promise<void> | undefined;

  /** @param most the budget per turn; the last work in a turn may exceed it */
  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is room in a turn. */
  async take(cost: number): Promise<void> {
    while (this.#spent >= this.#most) await this.#nextTurn();
    this.#spent += cost;
    void this.#nextTurn();
  }

  #nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#spent = 0;
        this.#next = undefined;
        resolve();
      });
    });
    return this.#next;
  }
}
