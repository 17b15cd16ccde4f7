/** A packet that is not complete after so long, or after twice of it, loses its place while others wait for one. */
const SLOW_MS = 1_000;

interface Collecting {
  endCollecting(): void;
}

/**
 * The sessions of one tenant that collect a packet, each of which has a place in the tenant's bytes. Where others wait, one that is not
 * completed in time loses its place: clients that have stopped in the middle of a packet would keep those of the others unread.
 */
export class SlowPackets {
  #new = new Set<Collecting>();
  /** Those that have been there since the last look. */
  #old = new Set<Collecting>();
  #timer: NodeJS.Timeout | undefined;

  add(session: Collecting): void {
    this.#new.add(session);
  }

  delete(session: Collecting): void {
    if (!this.#new.delete(session)) this.#old.delete(session);
  }

  /** A session waits. */
  watch(): void {
    if (this.#timer || this.#new.size + this.#old.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const session of [...this.#old]) session.endCollecting();
      this.#old = this.#new;
      this.#new = new Set();
      this.watch();
    }, SLOW_MS).unref();
  }
}
