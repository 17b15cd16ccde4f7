import type { Database } from "../../db/database.ts";
import { SECOND } from "../../lib/clock.ts";
import { RECENT_MS } from "./partition-reader.ts";
import { isStreamInUse, uncaughtMs } from "./process-store.ts";

const MOST_MS = 10 * SECOND;

/**
 * How long ago, in milliseconds, everything that had arrived is stored by now: 0 where messages are acknowledged once they are stored. `undefined` where
 * messages have waited in the ingest stream for more than some seconds.
 */
export async function streamLag({ database }: { database: Pick<Database, "db"> }): Promise<number | undefined> {
  const { db } = database;
  if (!(await isStreamInUse(db))) return 0;
  const ms = await uncaughtMs(db);
  return ms === null || ms > MOST_MS ? undefined : ms + RECENT_MS;
}
