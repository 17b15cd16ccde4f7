import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";
import { deriveKey, wrongMasterKey } from "./keystore.ts";

const ALGORITHM = "aes-256-gcm";
const IV_OCTETS = 12;
const TAG_OCTETS = 16;

const KEYS = "retired-keys";
const SECRETS = "secrets";

type Random = Pick<Ids, "bytes">;

/** Encrypts a derived key under the master key (AES-256-GCM): the IV, the tag, then the ciphertext. */
export function sealKey(key: Buffer, masterKey: Buffer, ids: Random): Buffer {
  return seal(key, deriveKey(masterKey, KEYS), ids);
}

/** Reverses {@link sealKey}. @throws MusterError wrong_master_key when it cannot be decrypted */
export function openKey(sealed: Buffer, masterKey: Buffer): Buffer {
  return open(sealed, deriveKey(masterKey, KEYS));
}

/** Encrypts a secret of a user under the master key, as {@link sealKey} a key. */
export function sealSecret(secret: Buffer, masterKey: Buffer, ids: Random): Buffer {
  return seal(secret, deriveKey(masterKey, SECRETS), ids);
}

/** Reverses {@link sealSecret}. @throws MusterError wrong_master_key when it cannot be decrypted */
export function openSecret(sealed: Buffer, masterKey: Buffer): Buffer {
  return open(sealed, deriveKey(masterKey, SECRETS));
}

function seal(plain: Buffer, key: Buffer, ids: Random): Buffer {
  const iv = ids.bytes(IV_OCTETS);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

function open(sealed: Buffer, key: Buffer): Buffer {
  try {
    const iv = sealed.subarray(0, IV_OCTETS);
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_OCTETS });
    decipher.setAuthTag(sealed.subarray(IV_OCTETS, IV_OCTETS + TAG_OCTETS));
    return Buffer.concat([decipher.update(sealed.subarray(IV_OCTETS + TAG_OCTETS)), decipher.final()]);
  } catch (error) {
    throw wrongMasterKey(error);
  }
}
