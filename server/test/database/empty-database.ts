import { openEmbedded } from "../../src/db/embedded/embedded.ts";
import { openPostgres } from "../../src/db/postgres.ts";
import type { Database } from "../../src/db/types.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { bareDatabase } from "../harness/database/database.ts";

/** Opens a database without our schema. With `fresh`, the embedded engine creates it from scratch. */
export async function emptyDatabase({ fresh = false } = {}): Promise<{
  url: string | undefined;
  open(): Promise<Database>;
  remove(): Promise<void>;
}> {
  const { url, snapshot, remove } = await bareDatabase();
  const logger = createLogger("silent");
  return {
    url,
    open: () =>
      url
        ? openPostgres(url, { logger })
        : openEmbedded({ dataDir: "memory", snapshot: fresh ? undefined : snapshot, sync: false, logger }),
    remove,
  };
}
