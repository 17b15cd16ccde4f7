import type { Database } from "../../db/database.ts";
import { type Clock, DAY } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { createDayPartition, dropPartitions, listExpiredPartitions, listRetentions } from "./partition-store.ts";

/** The days, from today on, whose partitions are created ahead of time. */
const DAYS_AHEAD = [0, 1, 2];
/** The longest time that a drop may delay storing. */
const DROP_WAIT_MS = 200;
const DROP_ATTEMPTS = 3;

export interface MaintainPartitionsDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  logger: Logger;
}

/**
 * Creates the partitions of the next days and drops those past their retention. A day is dropped one day after its last
 * reading expired, so that no batch in progress stores into it. Must be called every hour; partitions in use are
 * dropped by a later call.
 */
export async function maintainPartitions({ database, clock, logger }: MaintainPartitionsDeps): Promise<void> {
  const { db } = database;
  const now = clock.now();
  const today = Math.floor(now.getTime() / DAY);
  for (const retentionDays of await listRetentions(db))
    for (const ahead of DAYS_AHEAD) await createDayPartition(db, { retentionDays, day: today + ahead });
  for (const names of await listExpiredPartitions(db, now)) {
    let dropped = false;
    for (let attempt = 0; attempt < DROP_ATTEMPTS && !dropped; attempt++)
      dropped = await dropPartitions(db, names, DROP_WAIT_MS);
    // The transaction that locks one partition most likely locks the next as well.
    if (!dropped)
      return logger.warn({ partitions: names }, "expired telemetry partitions are in use; they are dropped later");
  }
}
