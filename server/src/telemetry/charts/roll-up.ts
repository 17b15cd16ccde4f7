import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { computeHours, takeMarks } from "./roll-up-store.ts";

/** Whoever stores into one of them late waits for the commit, so they are few. */
const HOURS_AT_ONCE = 10;
/** So that a turn ends while the service stops; the rest waits a minute. */
const MOST_A_TURN = 2_000;

/**
 * Computes the minutes and hours that are due from the readings. Any number of processes may do so at once; one that dies
 * leaves its marks to the others.
 */
export async function rollUp({ database, clock }: { database: Pick<Database, "db">; clock: Clock }): Promise<void> {
  for (let done = 0; done < MOST_A_TURN; done += HOURS_AT_ONCE) {
    const now = clock.now();
    const taken = await database.db.transaction().execute(async (tx) => {
      const marked = await takeMarks(tx, now, HOURS_AT_ONCE);
      if (marked.length > 0) await computeHours(tx, marked, now);
      return marked.length;
    });
    if (taken < HOURS_AT_ONCE) return;
  }
}
