/** Runs the work of a key one after the other, in the order of the calls. Different keys do not wait for each other. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves and rejects as `work` does. The work of a call that failed does not stop the next one. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    void ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return result;
  }
}
