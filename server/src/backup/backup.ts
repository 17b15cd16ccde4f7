import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { MusterError } from "../lib/errors.ts";
import { alreadyExists } from "../lib/request-errors.ts";
import { backupHead } from "./backup-file.ts";
import { type RevokeAllDeps, type RevokedAll, revokeAll } from "./revoke-all.ts";

export { CREDENTIALS, type CredentialName, NOT_CREDENTIALS, TABLES_WITHOUT_CREDENTIALS } from "./credentials.ts";
export { type ReappliedRevocations, reapplyRevocations } from "./reapply-revocations.ts";
export { type Restored, type RestoreOptions, restore } from "./restore.ts";

/**
 * Backups of the embedded database, which do not contain the master key, and the steps that remain after a restore on
 * PostgreSQL.
 */
export interface Backup {
  /**
   * Writes the present database to a new file with mode 0600, via `<file>.part`. If that fails, no file is left.
   *
   * @param file an absolute path
   * @throws MusterError already_exists; not_embedded if PostgreSQL keeps the data
   */
  writeTo(file: string): Promise<{ file: string; bytes: number }>;
  /** See `revoke-all.ts`. */
  revokeAll(choice: Parameters<typeof revokeAll>[1]): Promise<RevokedAll>;
}

export function createBackup(deps: RevokeAllDeps): Backup {
  const { database } = deps;
  return {
    revokeAll: (choice) => revokeAll(deps, choice),
    async writeTo(file) {
      if (!database.dump) throw notEmbedded();
      const partial = `${file}.part`;
      await (await create(file)).close();
      try {
        const handle = await create(partial);
        try {
          const bytes = await writeDurably(handle, await database.dump());
          await rename(partial, file);
          return { file, bytes };
        } catch (error) {
          await rm(partial, { force: true });
          throw error;
        }
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    },
  };
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Creates a file. An existing file or symbolic link of that name is refused: it may have been planted to redirect the
 * database.
 */
async function create(path: string): Promise<FileHandle> {
  return await open(path, NEW_FILE, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") throw alreadyExists("this file already exists", path);
    throw new MusterError("invalid_request", `the backup cannot be written: ${error.code}`, { detail: path });
  });
}

async function writeDurably(handle: FileHandle, content: Blob): Promise<number> {
  const head = backupHead();
  try {
    await handle.writeFile(head);
    await handle.writeFile(new Uint8Array(await content.arrayBuffer()));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return head.length + content.size;
}

function notEmbedded(): MusterError {
  return new MusterError(
    "not_embedded",
    "PostgreSQL keeps this service's data: back it up with pg_dump, and the master key separately",
  );
}
