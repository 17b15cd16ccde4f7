/** Tracks work in flight for devices and MQTT clients, by their ids. */
export class PendingByOwner {
  readonly #pending = new Map<string, Promise<unknown>>();

  /** @param work never rejects */
  add(ownerId: string, work: Promise<unknown>): void {
    const all = Promise.all([this.#pending.get(ownerId), work]);
    this.#pending.set(ownerId, all);
    void all.finally(() => {
      if (this.#pending.get(ownerId) === all) this.#pending.delete(ownerId);
    });
  }

  /** Resolves when all work added for an owner is done; undefined if none is in flight. */
  of(ownerId: string): Promise<unknown> | undefined {
    return this.#pending.get(ownerId);
  }

  /** Resolves when all work is done. */
  async idle(): Promise<void> {
    await Promise.all(this.#pending.values());
  }
}
