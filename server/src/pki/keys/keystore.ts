import { hkdfSync, timingSafeEqual } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";

const MASTER_KEY_OCTETS = 32;

/**
 * The purposes for which keys are derived from the master key, which has no other use. docs/pki.md says what each
 * protects, and a test compares the two.
 */
export const KEY_PURPOSES = [
  "check",
  "authority-keys",
  "retired-keys",
  "secrets",
  "claim-code",
  "webhook-secrets",
  "known-browsers",
  "oidc-flows",
  "passkey-challenges",
] as const;

export type MasterKeyPurpose = (typeof KEY_PURPOSES)[number];

/**
 * Derives the 32-octet key of one purpose from the master key (HKDF-SHA256, RFC 5869). A derived key reveals nothing
 * about the master key or about the keys of other purposes.
 */
export function deriveKey(masterKey: Buffer, purpose: MasterKeyPurpose): Buffer {
  if (masterKey.length !== MASTER_KEY_OCTETS) throw new TypeError("The master key must have 32 octets.");
  return Buffer.from(hkdfSync("sha256", masterKey, "muster", `muster/v1/${purpose}`, 32));
}

/**
 * Returns a check value to store with the sealed keys, by which {@link isMasterKeyOf} recognizes the master key. It is
 * not secret.
 */
export function masterKeyCheck(masterKey: Buffer): string {
  return deriveKey(masterKey, "check").toString("hex");
}

/** Returns whether `check` is the {@link masterKeyCheck} of this master key. */
export function isMasterKeyOf(check: string, masterKey: Buffer): boolean {
  const [given, known] = [check, masterKeyCheck(masterKey)].map((hex) => Buffer.from(hex, "hex")) as [Buffer, Buffer];
  return given.length === known.length && timingSafeEqual(given, known);
}

/** Returns the error for a process that has no master key under which the stored keys are encrypted. */
export function wrongMasterKey(cause?: unknown): MusterError<"wrong_master_key"> {
  const sentence =
    "The master key is not the one that this database was created with, or last rotated to. Put that one in its place; it is stored apart from backups. Services on one database share the master key: give each of them that of the first one (master.key in its data folder) with MUSTER_MASTER_KEY_FILE.";
  return new MusterError("wrong_master_key", sentence, { cause });
}
