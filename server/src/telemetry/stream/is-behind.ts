import type { Database } from "../../db/database.ts";
import { isStreamBehind } from "./process-store.ts";

/** Whether acknowledged messages have waited in the ingest stream for more than a few seconds: the database does not know then what devices have sent. */
export async function isBehind({ database }: { database: Pick<Database, "db"> }): Promise<boolean> {
  return await isStreamBehind(database.db);
}
