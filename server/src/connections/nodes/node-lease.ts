import type { Clock } from "../../lib/clock.ts";

/** Interval at which a node checks its lease. */
const CHECK_MS = 250;
/** The share of the lease after which a node ends its sessions itself; in the rest it closes them, before other nodes reap it. */
const OWN_SHARE = 0.8;

/**
 * The right of this node to have sessions. Each heartbeat that the database has stored extends it, from the time at which the node sent it. A node
 * that cannot get to the database ends its sessions when the lease has ended, before other nodes reap it. Until then it may keep the connection of a
 * client that has connected to another node since; nothing that arrives on it is acknowledged.
 */
export class NodeLease {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #ownMs: number;
  readonly #onEnd: (() => void)[] = [];
  #until = -Infinity;
  #sentMs = -Infinity;
  #term = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param leaseMs after so long without a heartbeat other nodes reap this one; Infinity where there can be no other node */
  constructor(clock: Pick<Clock, "monotonicMs">, leaseMs: number) {
    this.#clock = clock;
    this.#ownMs = leaseMs * OWN_SHARE;
  }

  /** Registers what ends the sessions of this process. */
  onEnd(handler: () => void): void {
    this.#onEnd.push(handler);
  }

  start(): void {
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The time of a heartbeat that is about to be sent, for `extend`. */
  now(): number {
    return this.#clock.monotonicMs();
  }

  /** The database has stored a heartbeat that was sent at `sentMs`. */
  extend(sentMs: number): void {
    this.#until = Math.max(this.#until, sentMs + this.#ownMs);
    this.#sentMs = Math.max(this.#sentMs, sentMs);
  }

  /** Milliseconds since the last heartbeat that the database has stored; Infinity where there was none. */
  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#sentMs;
  }

  /** Changes whenever the lease ends; undefined until it is extended again. */
  get term(): number | undefined {
    return this.#clock.monotonicMs() < this.#until ? this.#term : undefined;
  }

  /** Ends the sessions where the lease has ended, once. */
  check(): void {
    if (this.#until === -Infinity || this.term !== undefined) return;
    this.#until = -Infinity;
    this.#term++;
    for (const handler of this.#onEnd) handler();
  }
}
