/** Limits concurrent attempts; waiters are served first in, first out. */
export class Admission {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Calls `begin` now or when an attempt has ended. */
  request(begin: () => void): void {
    if (this.#free > 0) {
      this.#free--;
      begin();
    } else this.#waiting.push(begin);
  }

  /** Ends an attempt that was begun. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
