import { type Administrator, recordAct } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Db } from "../db/types.ts";
import { addMs } from "../lib/clock.ts";
import { masterKeyCheck, wrongMasterKey } from "../pki/pki.ts";
import { type AuthorityRow, insertMasterKeyCheck, notifyChange } from "./authority-store.ts";
import type { AuthoritiesDeps } from "./deps.ts";
import { isInUse } from "./loaded-authorities.ts";
import { type LockedHierarchy, lockHierarchy } from "./locked-hierarchy.ts";
import { deleteUnneededKeys } from "./retired-key-store.ts";
import {
  activateServerRoot,
  announceServerRoot,
  createHierarchy,
  rotateDeviceRoot,
  rotateIntermediate,
  rotateServerCertificates,
  upcomingServerRoot,
} from "./rotation.ts";
import { runDueRotations } from "./run-due-rotations.ts";
import { REQUESTED_OVERLAP } from "./schedule.ts";
import { openAuthorityKey } from "./seals.ts";
import { serverHosts } from "./server-hosts.ts";

export type ChangeKind = keyof typeof CHANGES;

/** The work of each kind of change before {@link runDueRotations}. */
const CHANGES = {
  start: async (hierarchy: LockedHierarchy) => {
    if (hierarchy.rows.length === 0) await createHierarchy(hierarchy);
  },
  due: async (_hierarchy: LockedHierarchy) => undefined,
  intermediate: rotateIntermediate,
  server: rotateServerCertificates,
  root: async (hierarchy: LockedHierarchy) => {
    await rotateDeviceRoot(hierarchy);
    await announceServerRoot(hierarchy, addMs(hierarchy.now, REQUESTED_OVERLAP));
  },
  rootImmediately: async (hierarchy: LockedHierarchy) => {
    await rotateDeviceRoot(hierarchy);
    await announceServerRoot(hierarchy, hierarchy.now);
    await activateServerRoot(hierarchy, upcomingServerRoot(hierarchy)!);
  },
};

/** The names of requested rotations in the administrative audit. */
const ACTS: Partial<Record<ChangeKind, string>> = {
  intermediate: "ca.rotate-intermediate",
  server: "ca.rotate-server",
  root: "ca.rotate-root",
  rootImmediately: "ca.rotate-root",
};

/**
 * The author of a change, and a transaction to join. By default the author is the shell or the service itself, in a
 * transaction of its own.
 */
export interface Change {
  by?: Pick<Administrator, "actor" | "address">;
  db?: Db;
}

/**
 * Changes the hierarchy in one transaction under its lock, and notifies every process once that has committed.
 *
 * @throws MusterError wrong_master_key
 */
export async function changeHierarchy(
  deps: AuthoritiesDeps,
  kind: ChangeKind,
  { by = { actor: "system" }, db = deps.database.db }: Change = {},
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const hierarchy = await lockHierarchy(tx, deps, serverHosts(deps.publicHost));
    await requireMasterKey(hierarchy);
    const before = generationsInUse(hierarchy);
    await CHANGES[kind](hierarchy);
    await recordRotation(hierarchy, kind, before, by);
    await runDueRotations(hierarchy);
    await deleteUnneededKeys(tx, hierarchy.now);
    if (hierarchy.changed) await notifyChange(tx);
  });
}

async function recordRotation(
  hierarchy: LockedHierarchy,
  kind: ChangeKind,
  before: object,
  { actor, address }: NonNullable<Change["by"]>,
): Promise<void> {
  const act = ACTS[kind];
  if (act === undefined) return;
  const recorded = { act, target: "ca", before, after: generationsInUse(hierarchy) };
  await recordAct(hierarchy.tx, { tenantId: null, actor, address }, recorded, hierarchy);
}

/** Returns the status of each generation in use, by name. */
function generationsInUse({ rows }: LockedHierarchy): Record<string, string> {
  return Object.fromEntries(rows.filter(isInUse).map(({ name, status }) => [name, status]));
}

/**
 * Opens every key, since without a check value only this shows whether the master key is right.
 *
 * @throws MusterError wrong_master_key
 */
function requireOpens(rows: readonly AuthorityRow[], masterKey: Buffer): void {
  try {
    for (const row of rows) if (row.private_key_pem !== null) openAuthorityKey(row, masterKey);
  } catch (error) {
    throw wrongMasterKey(error);
  }
}

/**
 * Stores the check value of the master key unless the database has one, by which the master key was chosen.
 *
 * @throws MusterError wrong_master_key
 */
export async function requireMasterKey({ tx, rows, masterKey, check }: LockedHierarchy): Promise<void> {
  if (check !== undefined) return;
  requireOpens(rows, masterKey);
  await insertMasterKeyCheck(tx, masterKeyCheck(masterKey));
}
