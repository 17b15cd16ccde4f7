import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface FolderLock {
  release(): void;
}

/**
 * Holds `folder` for this process. The lock is the operating system's own file lock, taken through an SQLite file,
 * so it ends with the process however that dies and can never be stale.
 *
 * @throws Error when another process holds it
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
