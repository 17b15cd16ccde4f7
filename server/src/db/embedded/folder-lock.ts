import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface FolderLock {
  release(): void;
}

/**
 * Locks `folder` for this process. SQLite takes the operating system's own file lock, which ends with the process even
 * after a crash, so the lock cannot be stale.
 *
 * @throws Error if another process has locked it
 */
export function lockFolder(folder: string): FolderLock {
  const file = new DatabaseSync(join(folder, "lock"));
  try {
    file.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch {
    file.close();
    throw new Error(
      `another muster process is using the data folder ${folder}; stop it, or give this one a MUSTER_DATA_DIR of its own`,
    );
  }
  return { release: () => file.close() };
}
