import { hash } from "node:crypto";
import { type Clock, SECOND } from "../clock.ts";
import { RecentMap } from "../collections/recent-map.ts";

/** How long credentials count as unknown once the database has said so. */
const UNKNOWN_MS = 2 * SECOND;
const MOST = 10_000;

/**
 * Credentials that the database did not know a moment ago, so that a client which repeats them costs no statement each time. Only hashes are
 * kept, for two seconds.
 */
export class UnknownCredentials {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #until = new RecentMap<string, number>(MOST);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  has(credentials: string): boolean {
    const until = this.#until.get(nameOf(credentials));
    return until !== undefined && this.#clock.monotonicMs() < until;
  }

  add(credentials: string): void {
    this.#until.set(nameOf(credentials), this.#clock.monotonicMs() + UNKNOWN_MS);
  }
}

function nameOf(credentials: string): string {
  return hash("sha256", credentials, "base64");
}
