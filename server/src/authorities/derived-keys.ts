import { createSecretKey, type KeyObject } from "node:crypto";
import { addMs, DAY, HOUR } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { deriveKey, openKey, sealKey } from "../pki/pki.ts";
import type { RetiredKeyRow } from "./retired-key-store.ts";

/**
 * The time for which former derived keys of other features are needed after a rotation. Claims are open for at most a
 * day; the extra hour is for processes that still create claims with the former key. Webhook receivers get a month to
 * adopt the new secret, and known browsers to get a new cookie. Sign-ins at an identity provider, and challenges of
 * passkeys, take minutes.
 */
const NEEDED_MS = {
  "claim-code": DAY + HOUR,
  "webhook-secrets": 30 * DAY,
  "known-browsers": 30 * DAY,
  "oidc-flows": HOUR,
  "passkey-challenges": HOUR,
} as const;

export type KeyPurpose = keyof typeof NEEDED_MS;

const PURPOSES = Object.keys(NEEDED_MS) as KeyPurpose[];

/** A key derived from the current master key (without `neededUntil`) or from a former one. */
export interface DerivedKey {
  readonly key: KeyObject;
  readonly neededUntil?: Date;
}

export type DerivedKeys = Readonly<Record<KeyPurpose, readonly DerivedKey[]>>;

/** Returns the keys of every purpose, the current one first. @throws MusterError sealed_value_changed */
export function loadDerivedKeys(masterKey: Buffer, retired: readonly RetiredKeyRow[]): DerivedKeys {
  const of = (purpose: KeyPurpose): DerivedKey[] => [
    { key: createSecretKey(deriveKey(masterKey, purpose)) },
    ...retired
      .filter((row) => row.purpose === purpose)
      .map((row) => ({ key: createSecretKey(openKey(row.sealed, row, masterKey)), neededUntil: row.needed_until })),
  ];
  return {
    "claim-code": of("claim-code"),
    "webhook-secrets": of("webhook-secrets"),
    "known-browsers": of("known-browsers"),
    "oidc-flows": of("oidc-flows"),
    "passkey-challenges": of("passkey-challenges"),
  };
}

/** Returns the keys derived from `masterKey` that are still needed once `next` has replaced it. */
export function retireKeys({ masterKey, next, ids, now }: KeyChange): RetiredKeyRow[] {
  return PURPOSES.map((purpose) => {
    const id = ids.uuid(now);
    const sealed = sealKey(deriveKey(masterKey, purpose), { id, purpose }, next, ids);
    return { id, purpose, sealed, retired_at: now, needed_until: addMs(now, NEEDED_MS[purpose]) };
  });
}

/** Returns those `rows` that are still needed, sealed under `next`. @param open returns the key of a row */
export function resealRetired(
  rows: readonly RetiredKeyRow[],
  open: (row: RetiredKeyRow) => Buffer,
  { next, ids, now }: Omit<KeyChange, "masterKey">,
): RetiredKeyRow[] {
  const needed = rows.filter((row) => row.needed_until > now);
  return needed.map((row) => ({ ...row, sealed: sealKey(open(row), row, next, ids) }));
}

interface KeyChange {
  masterKey: Buffer;
  next: Buffer;
  ids: Ids;
  now: Date;
}
