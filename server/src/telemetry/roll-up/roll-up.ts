import type { Database } from "../../db/database.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { markBacklog } from "./backlog-store.ts";
import { claimDirtyHours } from "./dirty-hour-store.ts";
import { recomputeHours } from "./roll-up-store.ts";

/** Few, because a batch that stores into one of these hours waits for the commit. */
const HOURS_PER_TRANSACTION = 10;
/** Bounds a run, so that the service can stop; the rest is computed by the next run. */
const MAX_HOURS_PER_RUN = 2_000;
/** Likewise; and other jobs on the embedded database get their turn. */
const MAX_MS_PER_RUN = 45 * SECOND;

export interface RollUpDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  /** About how much of an hour is read at once, in bytes. */
  partBytes?: number | undefined;
}

/**
 * Computes the minutes and hours that charts read, of hours that are due, and writes their chunks. Then it marks hours of days that were stored before there were
 * chunks. Any number of processes may do so at once; the hours of one that fails stay marked for the others. Call it every minute.
 */
export async function rollUp({ database, clock, partBytes }: RollUpDeps): Promise<void> {
  const end = clock.now().getTime() + MAX_MS_PER_RUN;
  for (let done = 0; done < MAX_HOURS_PER_RUN; done += HOURS_PER_TRANSACTION) {
    const now = clock.now();
    if (now.getTime() > end) return;
    const claimed = await database.db.transaction().execute(async (tx) => {
      const dirty = await claimDirtyHours(tx, now, HOURS_PER_TRANSACTION);
      if (dirty.length > 0) await recomputeHours(tx, dirty, now, partBytes);
      return dirty.length;
    });
    if (claimed < HOURS_PER_TRANSACTION && !(await markBacklog(database.db, now))) return;
  }
}
