import type { Database } from "../../db/database.ts";
import { SECOND } from "../../lib/clock.ts";
import { RECENT_MS } from "./partition-reader.ts";
import { isStreamInUse, uncaughtMs } from "./process-store.ts";

const MOST_MS = 10 * SECOND;

/**
 * Returns for how many milliseconds the database may lag behind the messages that have arrived; 0 if messages are
 * acknowledged once stored. `undefined` if messages have waited in the ingest stream for more than a few seconds.
 */
export async function streamLag({ database }: { database: Pick<Database, "db"> }): Promise<number | undefined> {
  const { db } = database;
  if (!(await isStreamInUse(db))) return 0;
  const ms = await uncaughtMs(db);
  return ms === null || ms > MOST_MS ? undefined : ms + RECENT_MS;
}
