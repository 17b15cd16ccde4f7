/** The last packet id for messages; the next one is reserved for the subscription. */
const LAST = 0xfffe;

/** The packet ids of unacknowledged messages, each used only once at a time (MQTT 5, 2.2.1). */
export class PacketIds {
  readonly #used = new Set<number>();
  #last = 0;

  take(): number {
    do this.#last = this.#last >= LAST ? 1 : this.#last + 1;
    while (this.#used.has(this.#last));
    this.#used.add(this.#last);
    return this.#last;
  }

  free(id: number): void {
    this.#used.delete(id);
  }
}
