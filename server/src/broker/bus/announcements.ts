import type { KnownSession } from "../../connections/connections.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import { encodeFlushed, encodeInterest, encodeNumber, encodeRelease, encodeServe } from "./frame.ts";
import { OwnInterest } from "./own-interest.ts";

/** The longest that a SUBSCRIBE waits until the other processes know of it. */
const ANNOUNCE_MS = 1_000;

/** A link to a process that receives this process's interest. */
export interface InterestLink {
  /** The number up to which the other process knows this one's changes of interest. */
  known: number;
  /** Queues a frame. */
  control(frame: Buffer): void;
  flush(): void;
  destroy(): void;
}

interface Waiter {
  number: number;
  resolve(): void;
}

interface Options {
  /** The processes that this one is connected to; a process that has not connected back knows no interest yet. */
  peers(): Iterable<string>;
  /** Called when frames wait to be flushed. */
  onPending(): void;
}

/** Announces this process's subscriptions and stored sessions, and tracks which other processes know of them. */
export class Announcements {
  readonly #options: Options;
  readonly #own = new OwnInterest();
  readonly #served = new Set<string>();
  readonly #links = new Map<string, InterestLink>();
  /** Processes that did not answer in time; they are not waited for until they answer. */
  readonly #late = new Set<string>();
  #waiters: Waiter[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  change(tenantId: string, filter: string, isOn: boolean): void {
    if (this.#own.change(tenantId, filter, isOn))
      this.#announce(encodeInterest(this.#own.number, tenantId, filter, isOn));
  }

  serve(ownerId: string): void {
    this.#served.add(ownerId);
    this.#announce(encodeServe(++this.#own.number, ownerId));
  }

  release(ownerId: string, session: KnownSession | undefined): void {
    this.#served.delete(ownerId);
    this.#announce(encodeRelease(++this.#own.number, ownerId, session));
  }

  flushed(ownerId: string): void {
    this.#announce(encodeFlushed(ownerId));
  }

  #announce(frame: Buffer): void {
    if (this.#links.size === 0) return;
    for (const link of this.#links.values()) link.control(frame);
    this.#options.onPending();
  }

  /** Sends all interest to a process that sends its messages here from now on. */
  joined(name: string, link: InterestLink): void {
    this.#links.get(name)?.destroy();
    this.#links.set(name, link);
    for (const { tenantId, filter } of this.#own) link.control(encodeInterest(0, tenantId, filter, true));
    for (const ownerId of this.#served) link.control(encodeServe(0, ownerId));
    link.control(encodeNumber("all", this.#own.number));
    this.#options.onPending();
  }

  left(name: string, link: InterestLink): void {
    if (this.#links.get(name) !== link) return;
    this.#links.delete(name);
    this.#late.delete(name);
    this.check();
  }

  /** Records that a process knows of all changes up to `number`. */
  known(name: string, link: InterestLink, number: number): void {
    link.known = Math.max(link.known, number);
    this.#late.delete(name);
    this.check();
  }

  /** Resolves when every process knows of all changes so far or is late; undefined if there is nothing to wait for. */
  announced(): Promise<void> | undefined {
    const { number } = this.#own;
    if (this.#behind(number).length === 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push({ number, resolve });
    return withTimeout(promise, ANNOUNCE_MS, () => {
      for (const name of this.#behind(number)) this.#late.add(name);
      this.check();
    });
  }

  /** Resolves the waiters that are complete. */
  check(): void {
    if (this.#waiters.length === 0) return;
    const [done, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.#waiters) (this.#behind(waiter.number).length === 0 ? done : waiting).push(waiter);
    this.#waiters = waiting;
    for (const { resolve } of done) resolve();
  }

  flush(): void {
    for (const link of this.#links.values()) link.flush();
  }

  close(): void {
    for (const link of this.#links.values()) link.destroy();
  }

  #behind(number: number): string[] {
    const names = new Set([...this.#options.peers(), ...this.#links.keys()]);
    return [...names].filter((name) => !this.#late.has(name) && (this.#links.get(name)?.known ?? -1) < number);
  }
}
