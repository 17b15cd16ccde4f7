import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { revokeAllKeys } from "../access/access.ts";
import { revokeAllIssued } from "../certificates/certificates.ts";
import { deleteAllCommands } from "../commands/commands.ts";
import { deleteAllNodes, disableAllMqttClients } from "../connections/connections.ts";
import type { Tx } from "../db/database.ts";
import { revokeAllClaims } from "../enrollment/enrollment.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import { openStaged } from "./restore-store.ts";

/**
 * What happens to the certificates, API keys, claims and MQTT clients in the backup. A restore must not make valid again what
 * was revoked after the backup was taken: either all of them are revoked, or the operator asserts that nothing was.
 */
export type RestoreMode = "revoke-all" | "nothing-revoked-since";

export interface Restored {
  dataDir: string;
  /** How many certificates the restore revoked. */
  revokedCertificates: number;
}

export interface RestoreDeps {
  dataDir: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/**
 * Restores a backup into a data folder that has no database yet: afterwards the folder holds the whole database, or none.
 * Certificates issued after the backup are not recorded in it, so the broker refuses them.
 *
 * @throws Error when the folder has a database, the file is no backup, or another process uses the folder
 */
export async function restore(
  { dataDir, clock, ids, logger }: RestoreDeps,
  file: string,
  mode: RestoreMode,
): Promise<Restored> {
  const target = join(dataDir, "postgres");
  if (await exists(target))
    throw new Error(`${target} holds a database: stop the service and move it away, or restore into another folder`);
  const content = await decompress(file);
  const staging = join(dataDir, "restoring");
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    const database = await openStaged(staging, content, logger, file);
    const changed = database.db.transaction().execute(async (tx) => {
      await deleteAllNodes(tx);
      // Devices may have acknowledged them since.
      await deleteAllCommands(tx);
      return mode === "revoke-all" ? await revokeAll(tx, ids, clock.now()) : 0;
    });
    const revokedCertificates = await changed.finally(() => database.close());
    await rename(join(staging, "postgres"), target);
    return { dataDir, revokedCertificates };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** @returns how many certificates were revoked */
async function revokeAll(tx: Tx, ids: Ids, now: Date): Promise<number> {
  const actor = "system";
  await revokeAllKeys(tx, actor, now);
  await revokeAllClaims(tx, actor, now);
  await disableAllMqttClients(tx, now);
  return await revokeAllIssued(tx, actor, { ids, now });
}

/** @throws Error for a truncated file too: gzip's checksum is verified before anything is written */
async function decompress(file: string): Promise<Blob> {
  const content = await readFile(file);
  try {
    return new Blob([new Uint8Array(await promisify(gunzip)(content))]);
  } catch (error) {
    throw new Error(`${file} is not a backup, or not a whole one`, { cause: error });
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
