import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { noteRevocations } from "../audit/audit.ts";
import type { Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import { endEverything, forgetProcesses, openStaged } from "./restore-store.ts";

/**
 * What becomes of the backup's certificates, API keys, claims and MQTT clients. A backup cannot know what was revoked
 * after it, and a restore must never revive that (reliability.md): either all of it ends, or the operator vouches.
 */
export type Fate = "revoke-all" | "nothing-revoked-since";

export interface Restored {
  dataDir: string;
  /** How many certificates ended with the restore. */
  revokedCertificates: number;
}

export interface RestoreDeps {
  dataDir: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/**
 * Makes a backup the database of a data folder that has none. The folder holds the whole restored database or none.
 * Certificates issued after the backup are unknown to it, which the broker refuses.
 *
 * @throws Error when the folder has a database, the file is no backup, or another process uses the folder
 */
export async function restore(
  { dataDir, clock, ids, logger }: RestoreDeps,
  file: string,
  fate: Fate,
): Promise<Restored> {
  const target = join(dataDir, "postgres");
  if (await exists(target))
    throw new Error(`${target} holds a database: stop the service and move it away, or restore into another folder`);
  const content = await unpacked(file);
  const staging = join(dataDir, "restoring");
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    const database = await openStaged(staging, content, logger, file);
    const ended = database.db.transaction().execute(async (tx) => {
      await forgetProcesses(tx);
      return fate === "revoke-all" ? await revokeAll(tx, ids, clock.now()) : 0;
    });
    const revokedCertificates = await ended.finally(() => database.close());
    await rename(join(staging, "postgres"), target);
    return { dataDir, revokedCertificates };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function revokeAll(tx: Tx, ids: Ids, now: Date): Promise<number> {
  const ended = await endEverything(tx, now);
  const byTenant = Map.groupBy(ended, (row) => row.tenant_id);
  for (const [tenantId, rows] of byTenant) {
    const notes = rows.map((row) => ({
      id: ids.uuid(now),
      at: now,
      actor: "system",
      deviceId: row.device_id,
      certificateId: row.id,
      serialNumber: row.serial_number,
      fingerprintSha256: row.fingerprint_sha256,
    }));
    for (let at = 0; at < notes.length; at += 500) await noteRevocations(tx, tenantId, notes.slice(at, at + 500));
  }
  return ended.length;
}

/** A file that was cut short is noticed here, by gzip's own checksum, before anything is made of it. */
async function unpacked(file: string): Promise<Blob> {
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
