import type { Clock } from "../../lib/clock.ts";

/** The interval at which a node checks its lease. */
const CHECK_MS = 250;
/**
 * The fraction of the lease after which a node starts ending its sessions; the rest is time to close them before other
 * nodes reap it.
 */
const OWN_SHARE = 0.8;

/** The length of one extension while the node may outlast the database. */
const EXTENSION_MS = 2_000;

/**
 * The right of this node to have sessions. Each heartbeat stored by the database extends it, counted from when the node
 * sent it. A node that cannot reach the database ends its sessions when the lease ends, before other nodes reap it.
 * Until then it may still have the connection of a client that has reconnected to another node, but acknowledges no
 * message on it. If messages are acknowledged from the ingest stream, the other node ends that connection over the bus.
 */
export class NodeLease {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #ownMs: number;
  readonly #onEnd: (() => void)[] = [];
  #outlasts: { mayKeep: () => boolean; maxMs: number } | undefined;
  #until = -Infinity;
  #sentMs = -Infinity;
  #steadyFromMs = -Infinity;
  #term = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param leaseMs the time without a heartbeat after which other nodes reap this one; Infinity if there can be no
   * other node
   */
  constructor(clock: Pick<Clock, "monotonicMs">, leaseMs: number) {
    this.#clock = clock;
    this.#ownMs = leaseMs * OWN_SHARE;
  }

  /** Registers a handler that ends the sessions of this process. */
  onEnd(handler: () => void): void {
    this.#onEnd.push(handler);
  }

  /**
   * Keeps the sessions while the database is unreachable, as long as `mayKeep` returns true because no other node can
   * take them, for at most `maxMs` since the last heartbeat.
   */
  outlast(mayKeep: () => boolean, maxMs: number): void {
    this.#outlasts = { mayKeep, maxMs };
  }

  start(): void {
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the time to pass to `extend` for a heartbeat that is about to be sent. */
  now(): number {
    return this.#clock.monotonicMs();
  }

  /** Extends the lease by a stored heartbeat that was sent at `sentMs`. */
  extend(sentMs: number): void {
    if (sentMs - this.#sentMs > this.#ownMs) this.#steadyFromMs = sentMs;
    this.#until = Math.max(this.#until, sentMs + this.#ownMs);
    this.#sentMs = Math.max(this.#sentMs, sentMs);
  }

  /** The milliseconds since the last stored heartbeat; Infinity if there was none. */
  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#sentMs;
  }

  /**
   * Whether this node may reap others. If nodes may outlast the database, it must have answered this one for the
   * duration of a lease, until now. By then, other nodes that were cut off have sent their heartbeats, too.
   */
  get mayReap(): boolean {
    if (this.#outlasts === undefined) return true;
    return this.ageMs < this.#ownMs && this.#sentMs - this.#steadyFromMs >= this.#ownMs / OWN_SHARE;
  }

  /** Changes whenever the lease ends; undefined until it is extended again. */
  get term(): number | undefined {
    return this.#clock.monotonicMs() < this.#until ? this.#term : undefined;
  }

  /** Ends the sessions, once, if the lease has ended. */
  check(): void {
    this.#keep();
    if (this.#until === -Infinity || this.term !== undefined) return;
    this.#until = -Infinity;
    this.#term++;
    for (const handler of this.#onEnd) handler();
  }

  /** Extends the lease shortly before its end, never after it. */
  #keep(): void {
    if (this.#outlasts === undefined) return;
    const { mayKeep, maxMs } = this.#outlasts;
    const nowMs = this.#clock.monotonicMs();
    const isDue = this.term !== undefined && this.#until - nowMs < EXTENSION_MS;
    if (isDue && nowMs - this.#sentMs < maxMs && mayKeep()) this.#until = nowMs + EXTENSION_MS;
  }
}
