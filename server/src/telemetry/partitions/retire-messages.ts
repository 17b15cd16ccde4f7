import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { retireBefore } from "./hot-days.ts";
import { isLockNotGranted } from "./partition-store.ts";
import { listMessageDays, retireDay } from "./retire-store.ts";

/** Storing waits behind the lock for no longer than this. */
const LOCK_WAIT_MS = 200;

/**
 * Drops the rows of days whose messages are in chunks. What has come late, and is in no chunk yet, stays. A day that is in use, or of which much
 * is in no chunk, is dropped by a later call. Call it every hour.
 */
export async function retireMessages({
  database: { db },
  clock,
}: {
  database: Pick<Database, "db">;
  clock: Clock;
}): Promise<void> {
  for (const day of await listMessageDays(db, retireBefore(clock.now()))) {
    try {
      await db.transaction().execute((tx) => retireDay(tx, day, LOCK_WAIT_MS));
    } catch (error) {
      if (!isLockNotGranted(error)) throw error;
    }
  }
}
