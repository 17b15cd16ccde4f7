import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { isLockNotGranted } from "../partitions/partition-store.ts";

/** Storing waits behind the lock for no longer than this. */
const LOCK_WAIT_MS = 200;

/**
 * Drops the latest values as earlier versions store them, with the triggers that keep both forms equal (step 57 of the schema), once no process of
 * such a version runs. Call it every minute; when they are in use, a later call drops them.
 */
export async function forgetEarlierLatest({ database }: { database: Pick<Database, "db"> }): Promise<void> {
  try {
    await database.db.transaction().execute(async (tx) => {
      await sql`SET LOCAL lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(tx);
      await sql`SELECT forget_earlier_latest()`.execute(tx);
    });
  } catch (error) {
    if (!isLockNotGranted(error)) throw error;
  }
}
