import { type Database, type Db, openDatabase } from "../db/database.ts";
import { SCHEMA_NUMBER } from "../db/migrate.ts";
import type { Logger } from "../lib/logger.ts";

/** The schema of the databases that this version writes, and the newest that it opens. */
export const NEWEST_SCHEMA = SCHEMA_NUMBER;

/** Opens a backup in `folder` and migrates it to the current schema. @throws Error if the content is not a backup */
export async function openStaged(folder: string, content: Blob, logger: Logger, file: string): Promise<Database> {
  try {
    return await openDatabase({ dataDir: folder, snapshot: content, logger });
  } catch (error) {
    throw new Error(`${file} is not a backup that this version can restore`, { cause: error });
  }
}

/**
 * Reads from the database of a data folder that no service uses.
 *
 * @throws Error if a service uses it
 */
export async function readPresent<T>(
  dataDir: string,
  logger: Logger,
  read: (db: Db) => Promise<T>,
): Promise<{ read: T } | { unreadable: string }> {
  try {
    const database = await openDatabase({ dataDir, logger });
    return { read: await read(database.db).finally(() => database.close()) };
  } catch (error) {
    const { message } = error as Error;
    if (message.includes("is using the data folder")) throw error;
    return { unreadable: message };
  }
}
