import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder, syncTree } from "../../lib/sync-folder.ts";

/** The engine's folder inside a data folder. */
export interface EngineFolder {
  readonly path: string;
  /** Whether the engine has yet to create its files. */
  readonly isNew: boolean;
  /** Must be called once the engine has been opened on it. */
  opened(): Promise<void>;
}

/**
 * Creates or finds the engine's folder in `dataDir`. While a new one is being filled, the file `postgres.incomplete`
 * exists beside it. The remains of an interrupted start are deleted, since nothing in them was ever acknowledged.
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
    isNew,
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
