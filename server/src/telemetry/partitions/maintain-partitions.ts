import type { Database } from "../../db/database.ts";
import { type Clock, DAY } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { dropParts, makeDay, outlivedParts, retentionsInUse } from "./partition-store.ts";

/** Today and the days whose partitions are there before anybody needs them. */
const DAYS_AHEAD = [0, 1, 2];
/** For this long a drop may hold up whoever stores; what is in the way then is tried again with the next turn. */
const DROP_WAIT_MS = 200;
const DROP_ATTEMPTS = 3;

export interface TendDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  logger: Logger;
}

/**
 * Makes the partitions of the days to come and drops those that have outlived their class. A day is dropped when its last
 * reading has been too old for a whole day, so that nobody is storing into it any more.
 */
export async function tendTelemetry({ database, clock, logger }: TendDeps): Promise<void> {
  const { db } = database;
  const now = clock.now();
  const today = Math.floor(now.getTime() / DAY);
  for (const retentionDays of await retentionsInUse(db))
    for (const ahead of DAYS_AHEAD) await makeDay(db, { retentionDays, day: today + ahead });
  for (const names of await outlivedParts(db, now)) {
    let gone = false;
    for (let attempt = 0; attempt < DROP_ATTEMPTS && !gone; attempt++) gone = await dropParts(db, names, DROP_WAIT_MS);
    // Whoever is in the way of one is likely in the way of the next.
    if (!gone)
      return logger.warn({ partitions: names }, "telemetry that is no longer kept is in use; it is dropped later");
  }
}
