type Done = (error?: Error) => void;

/**
 * Answers in the order of asking: messages of one client are stored side by side, in batches with those of others, yet
 * their acknowledgements leave in order. Once one has failed all later ones fail, as the client will send them again.
 */
export class InOrder {
  #queue: { done: Done; settled: boolean; error: Error | undefined }[] = [];
  #head = 0;
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#queue.length - this.#head;
  }

  add(work: Promise<void>, done: Done): void {
    const entry = { done, settled: false, error: undefined as Error | undefined };
    this.#queue.push(entry);
    work.then(
      () => this.#settle(entry),
      (error: Error) => {
        entry.error = error;
        this.#settle(entry);
      },
    );
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #settle(entry: { settled: boolean }): void {
    entry.settled = true;
    while (this.#head < this.#queue.length && this.#queue[this.#head]!.settled) {
      const { done, error } = this.#queue[this.#head++]!;
      if (error) for (const later of this.#queue.slice(this.#head)) later.error ??= error;
      done(error);
    }
    if (this.#head < this.#queue.length) return;
    this.#queue = [];
    this.#head = 0;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
