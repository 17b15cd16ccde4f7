import type { Clock } from "../../lib/clock.ts";

/** Interval at which a node checks its lease. */
const CHECK_MS = 250;
/** The share of the lease after which a node ends its sessions itself; in the rest it closes them, before other nodes reap it. */
const OWN_SHARE = 0.8;

/** For so long the lease is extended at a time while the node may outlast the database. */
const EXTENSION_MS = 2_000;

/**
 * The right of this node to have sessions. Each heartbeat that the database has stored extends it, from the time at which the node sent it. A node
 * that cannot get to the database ends its sessions when the lease has ended, before other nodes reap it. Until then it may keep the connection of a
 * client that has connected to another node since; nothing that arrives on it is acknowledged. Where messages are acknowledged from the ingest stream, the
 * other node has that connection ended over the bus.
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

  /** @param leaseMs after so long without a heartbeat other nodes reap this one; Infinity where there can be no other node */
  constructor(clock: Pick<Clock, "monotonicMs">, leaseMs: number) {
    this.#clock = clock;
    this.#ownMs = leaseMs * OWN_SHARE;
  }

  /** Registers what ends the sessions of this process. */
  onEnd(handler: () => void): void {
    this.#onEnd.push(handler);
  }

  /**
   * Has the sessions kept while the database is away, as long as `mayKeep` says that no other node can take them, for at most `maxMs` since the
   * last heartbeat.
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

  /** The time of a heartbeat that is about to be sent, for `extend`. */
  now(): number {
    return this.#clock.monotonicMs();
  }

  /** The database has stored a heartbeat that was sent at `sentMs`. */
  extend(sentMs: number): void {
    if (sentMs - this.#sentMs > this.#ownMs) this.#steadyFromMs = sentMs;
    this.#until = Math.max(this.#until, sentMs + this.#ownMs);
    this.#sentMs = Math.max(this.#sentMs, sentMs);
  }

  /** Milliseconds since the last heartbeat that the database has stored; Infinity where there was none. */
  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#sentMs;
  }

  /**
   * Whether this node may reap others. Where they may outlast the database, it has answered this one for as long as a lease, and does so now: those that were
   * away, too, have sent their heartbeats by then.
   */
  get mayReap(): boolean {
    if (this.#outlasts === undefined) return true;
    return this.ageMs < this.#ownMs && this.#sentMs - this.#steadyFromMs >= this.#ownMs / OWN_SHARE;
  }

  /** Changes whenever the lease ends; undefined until it is extended again. */
  get term(): number | undefined {
    return this.#clock.monotonicMs() < this.#until ? this.#term : undefined;
  }

  /** Ends the sessions where the lease has ended, once. */
  check(): void {
    this.#keep();
    if (this.#until === -Infinity || this.term !== undefined) return;
    this.#until = -Infinity;
    this.#term++;
    for (const handler of this.#onEnd) handler();
  }

  /** Shortly before the end, and not after it. */
  #keep(): void {
    if (this.#outlasts === undefined) return;
    const { mayKeep, maxMs } = this.#outlasts;
    const nowMs = this.#clock.monotonicMs();
    const isDue = this.term !== undefined && this.#until - nowMs < EXTENSION_MS;
    if (isDue && nowMs - this.#sentMs < maxMs && mayKeep()) this.#until = nowMs + EXTENSION_MS;
  }
}
