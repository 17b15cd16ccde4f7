import { RecentMap } from "../../lib/collections/recent-map.ts";

/** Address blocks that are remembered at a time. */
const MOST_GUESSERS = 10_000;

/** When the address blocks that have guessed too often may guess again, so that further guesses cost no transaction. */
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
