/**
 * A packet that is not complete after one to two of these intervals loses its reservation while other sessions wait.
 */
const SLOW_MS = 1_000;

interface Collecting {
  endCollecting(): void;
}

/**
 * The sessions of one tenant that are collecting a packet, each with a reservation in the tenant's budget. While other
 * sessions wait, a packet that is not completed in time loses its reservation. Otherwise clients that stall in the
 * middle of a packet would keep all others unread.
 */
export class SlowPackets {
  #new = new Set<Collecting>();
  /** The sessions that were already collecting at the last check. */
  #old = new Set<Collecting>();
  #timer: NodeJS.Timeout | undefined;

  add(session: Collecting): void {
    this.#new.add(session);
  }

  delete(session: Collecting): void {
    if (!this.#new.delete(session)) this.#old.delete(session);
  }

  /** Starts checking for slow packets, because a session waits. */
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
