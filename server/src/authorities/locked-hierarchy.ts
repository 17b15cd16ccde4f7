import type { Tx } from "../db/types.ts";
import type { Ids } from "../lib/ids.ts";
import {
  type AuthorityRow,
  listAuthorities,
  lockAuthorities,
  type Role,
  readMasterKeyCheck,
} from "./authority-store.ts";
import type { AuthoritiesDeps } from "./deps.ts";

/** The hierarchy within the transaction that has locked it, with everything needed to change it. */
export interface LockedHierarchy {
  readonly tx: Tx;
  readonly now: Date;
  readonly ids: Ids;
  /** The master key that the keys are encrypted under. */
  readonly masterKey: Buffer;
  /** The stored check value of the master key; `undefined` before the first start. */
  readonly check: string | undefined;
  /** The hosts that server certificates must name. */
  readonly hosts: readonly string[];
  /** Every generation, oldest first, as the transaction sees it now. */
  rows: AuthorityRow[];
  changed: boolean;
}

export type ServerRole = Extract<Role, "broker_server" | "https_server">;

/**
 * Takes the lock, then reads the rows; before the lock they could still change.
 *
 * @throws MusterError wrong_master_key
 */
export async function lockHierarchy(
  tx: Tx,
  { clock, ids, masterKeys }: Pick<AuthoritiesDeps, "clock" | "ids" | "masterKeys">,
  hosts: readonly string[],
): Promise<LockedHierarchy> {
  await lockAuthorities(tx);
  const check = await readMasterKeyCheck(tx);
  await masterKeys.select(check);
  const masterKey = masterKeys.current();
  return { tx, now: clock.now(), ids, masterKey, check, hosts, rows: await listAuthorities(tx), changed: false };
}

/** Reloads the rows; call it after each write. */
export async function reloadRows(hierarchy: LockedHierarchy): Promise<void> {
  hierarchy.rows = await listAuthorities(hierarchy.tx);
  hierarchy.changed = true;
}

/** Returns the active generation of a role. Throws if there is none, which only happens in a damaged database. */
export function activeOf({ rows }: { readonly rows: readonly AuthorityRow[] }, role: Role): AuthorityRow {
  const row = rows.find((candidate) => candidate.role === role && candidate.status === "active");
  if (row === undefined) throw new Error(`the database contains no active ${role}`);
  return row;
}
