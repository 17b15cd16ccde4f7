import type { KeyObject } from "node:crypto";
import { masterKeyCheck, openKey, openPrivateKey, openSecret, sealPrivateKey, sealSecret } from "../pki/pki.ts";
import { type AuthorityRow, listAuthorities, updateMasterKeyCheck, updatePrivateKey } from "./authority-store.ts";
import type { AuthoritiesDeps } from "./deps.ts";
import { resealRetired } from "./derived-keys.ts";
import type { LockedHierarchy } from "./locked-hierarchy.ts";
import { listRetiredKeys, type RetiredKeyRow, replaceRetiredKeys } from "./retired-key-store.ts";

/** Opens everything that is sealed under one master key. */
export interface Seals {
  privateKey(row: AuthorityRow): KeyObject;
  retiredKey(row: RetiredKeyRow): Buffer;
  secret(sealed: Buffer, owner: string): Buffer;
}

/**
 * Returns the seals of values that are bound to their records. Its functions throw MusterError sealed_value_changed.
 */
export function presentSeals(masterKey: Buffer): Seals {
  return {
    privateKey: (row) => openAuthorityKey(row, masterKey),
    retiredKey: (row) => openKey(row.sealed, row, masterKey),
    secret: (sealed, owner) => openSecret(sealed, owner, masterKey),
  };
}

/** @throws MusterError sealed_value_changed */
export function openAuthorityKey(row: AuthorityRow, masterKey: Buffer): KeyObject {
  return openPrivateKey(keyOf(row), ownerOf(row), masterKey);
}

/** Returns the record that an authority's private key is bound to. */
export function ownerOf(row: Pick<AuthorityRow, "id" | "role" | "certificate_der">) {
  return { id: row.id, role: row.role, certificateDer: row.certificate_der };
}

/** Seals everything again under `next`, with its check value, in the transaction that has locked the hierarchy. */
export async function sealEverything(
  hierarchy: LockedHierarchy,
  seals: Seals,
  next: Buffer,
  encryptAgain: AuthoritiesDeps["encryptAgain"],
): Promise<void> {
  const { tx, ids, now } = hierarchy;
  for (const row of hierarchy.rows) {
    if (row.private_key_pem === null) continue;
    await updatePrivateKey(tx, row.id, sealPrivateKey(seals.privateKey(row), ownerOf(row), next, ids));
  }
  const retired = await listRetiredKeys(tx);
  await replaceRetiredKeys(tx, resealRetired(retired, seals.retiredKey, { next, ids, now }));
  const reseal = (sealed: Buffer, owner: string) => sealSecret(seals.secret(sealed, owner), owner, next, ids);
  for (const encryptOthers of encryptAgain) await encryptOthers(tx, reseal);
  await updateMasterKeyCheck(tx, masterKeyCheck(next));
  hierarchy.rows = await listAuthorities(tx);
}

function keyOf(row: AuthorityRow): string {
  if (row.private_key_pem === null) throw new Error(`the private key of ${row.name} has been deleted`);
  return row.private_key_pem;
}
