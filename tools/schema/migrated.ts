import { PGlite } from "@electric-sql/pglite";
import { migratedSnapshot } from "../../server/test/harness/snapshots.ts";

/** An embedded database in memory with every migration applied; the dump that tests begin with makes it in a second. */
export async function openMigrated(): Promise<PGlite> {
  return await PGlite.create({ loadDataDir: await migratedSnapshot() });
}
