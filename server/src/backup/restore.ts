import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { countLiveCertificates, revokeAllIssued } from "../certificates/certificates.ts";
import { deleteAllCommands } from "../commands/commands.ts";
import { deleteAllNodes } from "../connections/connections.ts";
import type { Database, Tx } from "../db/database.ts";
import { deleteAllRecoveryCodes, listOperators } from "../identity/identity.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import { readBackup } from "./backup-file.ts";
import { type EndedAccess, endAccess, endShortLived } from "./end-access.ts";
import {
  type Carried,
  carryEndings,
  countDevicesToEnroll,
  endOfState,
  type LaterState,
  readLaterState,
} from "./later-state.ts";
import { openStaged, readPresent } from "./restore-store.ts";

/**
 * Options of a restore, which must not reopen what has ended since the backup was taken. Either the replaced database
 * knows what that is, or everything is ended, or the operator asserts that nothing has ended.
 */
export interface RestoreOptions {
  /** `revoke-all` ends every credential in the backup. If absent, the replaced database knows what has ended. */
  mode?: "revoke-all" | "nothing-revoked-since" | undefined;
  /** Restores over the database in the data folder, which is kept beside it. */
  replace?: boolean | undefined;
  /** With `revoke-all`: device certificates stay valid, because none has been revoked since. */
  keepCertificates?: boolean | undefined;
}

export interface Restored {
  dataDir: string;
  /** The number of certificates that the restore revoked. */
  revokedCertificates: number;
  /** The number of valid device certificates in the restored database. */
  validCertificates: number;
  ended: Partial<EndedAccess>;
  /** Records changed to match the replaced database; absent if it did not know. */
  carried?: Carried;
  /** The number of devices that enrolled or renewed after the backup, and must enroll again; absent if unknown. */
  devicesToEnroll?: number;
  /** The new location of the replaced database. */
  replaced?: string;
  /** The addresses of the active users who run the installation. */
  operators: string[];
}

export interface RestoreDeps {
  dataDir: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/**
 * Restores a backup into a data folder. Afterwards the folder contains the whole database of the backup, or its
 * previous contents. Certificates issued after the backup are not recorded in it, so the broker refuses them.
 *
 * @throws Error if the folder has a database that is not to be replaced, the file is not a backup or one of a later
 *   version, another process uses the folder, or it is unknown what has ended since the backup
 */
export async function restore(deps: RestoreDeps, file: string, options: RestoreOptions): Promise<Restored> {
  const { dataDir, logger } = deps;
  const target = join(dataDir, "postgres");
  const isThere = await exists(target);
  if (isThere && !options.replace)
    throw new Error(
      `${target} contains a database: stop the service and restore with --replace, which keeps ended what has ended in it, or restore into another folder`,
    );
  if (!isThere && options.mode === undefined) throw unknownEndings(`${dataDir} has no database`);
  const content = await readBackup(file);
  const staging = join(dataDir, "restoring");
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    const database = await openStaged(staging, content, logger, file);
    const done = await endAsKnown(database, deps, options, isThere).finally(() => database.close());
    const replaced = isThere ? `${target}.replaced-${stamp(deps.clock.now())}` : undefined;
    if (replaced) await rename(target, replaced);
    await rename(join(staging, "postgres"), target);
    return { dataDir, ...done, ...(replaced ? { replaced } : {}) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function endAsKnown(database: Database, deps: RestoreDeps, options: RestoreOptions, isThere: boolean) {
  const later = isThere ? await laterState(deps, database, options) : undefined;
  return await endIn(database, deps, options, later);
}

/**
 * Reads the later state from the database of the folder.
 *
 * @throws Error if it does not know, and no mode replaces the knowledge
 */
async function laterState(
  { dataDir, logger }: RestoreDeps,
  backup: Database,
  { mode }: RestoreOptions,
): Promise<LaterState | undefined> {
  const earlier = await endOfState(backup.db);
  const present = await readPresent(dataDir, logger, (db) => readLaterState(db, earlier));
  const later = "unreadable" in present ? undefined : present.read;
  if (later !== undefined || mode !== undefined) return later;
  throw unknownEndings(
    "unreadable" in present
      ? `the database in ${dataDir} cannot be read (${present.unreadable})`
      : `the database in ${dataDir} is not a later state of this backup`,
  );
}

function unknownEndings(why: string): Error {
  return new Error(
    `${why}, so it is not known what has ended since the backup. State --revoke-all or --nothing-revoked-since`,
  );
}

async function endIn(
  database: Database,
  { ids, clock }: RestoreDeps,
  { mode, keepCertificates }: RestoreOptions,
  later: LaterState | undefined,
): Promise<Omit<Restored, "dataDir" | "replaced">> {
  const now = clock.now();
  return await database.db.transaction().execute(async (tx) => {
    await deleteAllNodes(tx);
    // Devices may have acknowledged the commands since.
    await deleteAllCommands(tx);
    const carried = later && (await carryEndings(tx, later, { ids, now }));
    if (!later) await deleteAllRecoveryCodes(tx);
    const ended = mode === "revoke-all" ? (await endAccess(tx, now)).ended : await endShortLived(tx, now);
    const isRevoking = mode === "revoke-all" && !keepCertificates;
    const revoked = isRevoking ? await revokeAllIssued(tx, "system", { ids, now }) : 0;
    return {
      revokedCertificates: revoked + (carried?.certificates ?? 0),
      ...(await remaining(tx, now)),
      ended,
      ...(later && carried ? { carried, devicesToEnroll: await countDevicesToEnroll(tx, later, now) } : {}),
    };
  });
}

async function remaining(tx: Tx, now: Date): Promise<Pick<Restored, "validCertificates" | "operators">> {
  const operators = (await listOperators(tx)).map(({ email }) => email);
  return { validCertificates: await countLiveCertificates(tx, now), operators };
}

/** Formats a time for the name of a folder: `20261124T180510123Z`. */
function stamp(at: Date): string {
  return at.toISOString().replaceAll(/[-:.]/g, "");
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
