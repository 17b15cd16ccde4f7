import { hash } from "node:crypto";
import type { Clock } from "../clock.ts";
import { RecentMap } from "../collections/recent-map.ts";

/** The maximum number of remembered credentials. */
const MOST = 10_000;

/**
 * Remembers credentials that the database has just refused, either unknown or rate-limited, so that a client that
 * repeats them does not cost a statement each time. Only hashes are kept.
 */
export class RefusedCredentials {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #until = new RecentMap<string, number>(MOST);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Returns the milliseconds for which the credentials are refused without a query; 0 if they are not. */
  millisecondsLeft(credentials: string): number {
    if (this.#until.size === 0) return 0;
    return Math.max(0, (this.#until.get(nameOf(credentials)) ?? 0) - this.#clock.monotonicMs());
  }

  add(credentials: string, milliseconds: number): void {
    this.#until.set(nameOf(credentials), this.#clock.monotonicMs() + milliseconds);
  }
}

function nameOf(credentials: string): string {
  return hash("sha256", credentials, "base64");
}
