import { RecentMap } from "../../lib/collections/recent-map.ts";

/** The number of address blocks remembered at a time. */
const MOST_GUESSERS = 10_000;

/** A cache of when address blocks over the limit may guess again, so that further guesses cost no transaction. */
export class LimitedGuessers {
  readonly #until = new RecentMap<string, Date>(MOST_GUESSERS);

  find(block: string, now: Date): Date | undefined {
    const until = this.#until.get(block);
    return until && until > now ? until : undefined;
  }

  add(block: string, until: Date): void {
    this.#until.set(block, until);
  }
}
