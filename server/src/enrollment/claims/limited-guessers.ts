import { OneAtATime } from "../../lib/batching/one-at-a-time.ts";
import { RecentMap } from "../../lib/collections/recent-map.ts";

/** The number of address blocks remembered at a time. */
const MOST_GUESSERS = 10_000;

/** A cache of when address blocks over the limit may guess again, so that further guesses cost no transaction. */
export class LimitedGuessers {
  readonly #until = new RecentMap<string, Date>(MOST_GUESSERS);
  readonly #counting = new OneAtATime();

  #find(block: string, now: Date): Date | undefined {
    const until = this.#until.get(block);
    return until && until > now ? until : undefined;
  }

  /**
   * Returns when the block may guess again; `undefined` if this guess was counted. The guesses of a block wait for each
   * other here: they would do so in the database, each with a connection of the pool.
   *
   * @param count counts a guess in the database, and returns the same
   */
  limitedUntil(block: string, now: Date, count: () => Promise<Date | undefined>): Promise<Date | undefined> {
    return this.#counting.run(block, async () => {
      const known = this.#find(block, now);
      if (known !== undefined) return known;
      const until = await count();
      if (until !== undefined) this.#until.set(block, until);
      return until;
    });
  }
}
