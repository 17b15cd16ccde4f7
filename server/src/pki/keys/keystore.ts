import { createPrivateKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";

const MASTER_KEY_OCTETS = 32;

/**
 * A 32-octet key for one purpose, derived from the master key (HKDF-SHA256, RFC 5869). A derived key reveals nothing about the master
 * key or about the keys of other purposes, so every use has its own purpose, e.g. `claim-code`.
 */
export function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  if (masterKey.length !== MASTER_KEY_OCTETS) throw new TypeError("The master key has 32 octets.");
  return Buffer.from(hkdfSync("sha256", masterKey, "muster", `muster/v1/${purpose}`, 32));
}

/** A value to store with the encrypted keys, by which {@link isMasterKeyOf} recognizes the master key. Not secret. */
export function masterKeyCheck(masterKey: Buffer): string {
  return deriveKey(masterKey, "check").toString("hex");
}

/** Whether `check` is the {@link masterKeyCheck} of this master key. */
export function isMasterKeyOf(check: string, masterKey: Buffer): boolean {
  const expected = deriveKey(masterKey, "check");
  const given = Buffer.from(check, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * A private key as encrypted PKCS#8 PEM: PBES2 with AES-256-CBC under a passphrase derived from the master key. The
 * passphrase has 256 random bits, so the iteration count of PBKDF2 does not matter.
 */
export function encryptPrivateKey(privateKey: KeyObject, masterKey: Buffer): string {
  return privateKey
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: keystorePassphrase(masterKey) })
    .toString();
}

/** Reverses {@link encryptPrivateKey}. Throws `wrong_master_key` when it cannot be decrypted. */
export function decryptPrivateKey(encryptedPem: string, masterKey: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: encryptedPem, format: "pem", passphrase: keystorePassphrase(masterKey) });
  } catch (error) {
    throw wrongMasterKey(error);
  }
}

function keystorePassphrase(masterKey: Buffer): string {
  return deriveKey(masterKey, "keystore").toString("base64url");
}

/** No master key of this process is the one that the stored keys are encrypted under. */
export function wrongMasterKey(cause?: unknown): MusterError<"wrong_master_key"> {
  const sentence =
    "The master key is not the one that this database was created with, or last rotated to. Put that one in its place; it is stored apart from backups. Services on one database share the master key: give each of them that of the first one (master.key in its data folder) with MUSTER_MASTER_KEY_FILE.";
  return new MusterError("wrong_master_key", sentence, { cause });
}
