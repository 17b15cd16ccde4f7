import { hash } from "node:crypto";
import type { Clock } from "../clock.ts";
import { RecentMap } from "../collections/recent-map.ts";

/** Credentials that are remembered at a time. */
const MOST = 10_000;

/**
 * Credentials that the database has just refused, so that a client which repeats them costs no statement each time: unknown ones, and
 * those that have used up their minute. Only hashes are kept.
 */
export class RefusedCredentials {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #until = new RecentMap<string, number>(MOST);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Milliseconds for which the credentials are refused without asking; 0 when they are not. */
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
