import { PGlite } from "@electric-sql/pglite";
import { migratedSnapshot } from "../../server/test/harness/database/snapshots.ts";

/** Opens an embedded database in memory with every migration applied, in a second thanks to the tests' initial dump. */
export async function openMigrated(): Promise<PGlite> {
  return await PGlite.create({ loadDataDir: await migratedSnapshot() });
}
