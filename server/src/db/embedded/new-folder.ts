import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder, syncTree } from "../../lib/sync-folder.ts";

/** The engine's folder in a data folder. */
export interface EngineFolder {
  readonly path: string;
  /** To be called when the engine has been opened on it. */
  opened(): Promise<void>;
}

/**
 * Creates the engine's folder in `dataDir`, or finds it. While a new one is being filled, the file `postgres.incomplete` stands beside it:
 * what a start that was cut off has left is deleted, since nothing in it was ever acknowledged.
 */
export async function engineFolder(dataDir: string, sync: boolean): Promise<EngineFolder> {
  const path = join(dataDir, "postgres");
  const incomplete = join(dataDir, "postgres.incomplete");
  if (await exists(incomplete)) await rm(path, { recursive: true, force: true });
  const isNew = !(await exists(join(path, "PG_VERSION")));
  if (isNew) {
    await writeFile(incomplete, "", { flush: true });
    await syncFolder(dataDir);
    await mkdir(path, { recursive: true });
  }
  await chmod(path, 0o700);
  return {
    path,
    async opened() {
      if (!isNew) return;
      if (sync) await syncTree(path);
      await rm(incomplete);
      await syncFolder(dataDir);
    },
  };
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
