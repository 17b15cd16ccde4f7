import { type Database, openDatabase } from "../db/database.ts";
import type { Logger } from "../lib/logger.ts";

/** Opens a backup in `folder` and migrates it to the current schema. @throws Error when the content is no backup */
export async function openStaged(folder: string, content: Blob, logger: Logger, file: string): Promise<Database> {
  try {
    return await openDatabase({ dataDir: folder, snapshot: content, logger });
  } catch (error) {
    throw new Error(`${file} is not a backup that this version can restore`, { cause: error });
  }
}
