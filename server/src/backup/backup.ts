import { open, rename, rm } from "node:fs/promises";
import type { Database } from "../db/database.ts";
import { MusterError } from "../lib/errors.ts";
import { alreadyExists } from "../lib/request-errors.ts";

export { type Restored, type RestoreMode, restore } from "./restore.ts";

/** Copies of the embedded database. They do not contain the master key. */
export interface Backup {
  /**
   * Writes the present database to a new file with mode 0600. When that fails, no file is left.
   *
   * @param file an absolute path
   * @throws MusterError already_exists; not_embedded when PostgreSQL keeps the data
   */
  writeTo(file: string): Promise<{ file: string; bytes: number }>;
}

export function createBackup({ database }: { database: Database }): Backup {
  return {
    async writeTo(file) {
      if (!database.dump) throw notEmbedded();
      const partial = `${file}.part`;
      const claimed = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") throw alreadyExists("there is such a file already", file);
        throw new MusterError("invalid_request", `the backup cannot be written: ${error.code}`, { detail: file });
      });
      await claimed.close();
      try {
        const bytes = await writeDurably(partial, await database.dump());
        await rename(partial, file);
        return { file, bytes };
      } catch (error) {
        await Promise.all([rm(partial, { force: true }), rm(file, { force: true })]);
        throw error;
      }
    },
  };
}

async function writeDurably(path: string, content: Blob): Promise<number> {
  const handle = await open(path, "w", 0o600);
  try {
    await handle.writeFile(new Uint8Array(await content.arrayBuffer()));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return content.size;
}

function notEmbedded(): MusterError {
  return new MusterError(
    "not_embedded",
    "PostgreSQL keeps this service's data: back it up with pg_dump, and the master key apart from it",
  );
}
