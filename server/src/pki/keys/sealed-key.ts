import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";
import { deriveKey, wrongMasterKey } from "./keystore.ts";

const ALGORITHM = "aes-256-gcm";
const IV_OCTETS = 12;
const TAG_OCTETS = 16;

/** Encrypts a derived key under the master key (AES-256-GCM): the IV, the tag, then the ciphertext. */
export function sealKey(key: Buffer, masterKey: Buffer, ids: Pick<Ids, "bytes">): Buffer {
  const iv = ids.bytes(IV_OCTETS);
  const cipher = createCipheriv(ALGORITHM, deriveKey(masterKey, "retired-keys"), iv);
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Reverses {@link sealKey}. @throws MusterError wrong_master_key when it cannot be decrypted */
export function openKey(sealed: Buffer, masterKey: Buffer): Buffer {
  try {
    const [key, iv] = [deriveKey(masterKey, "retired-keys"), sealed.subarray(0, IV_OCTETS)];
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_OCTETS });
    decipher.setAuthTag(sealed.subarray(IV_OCTETS, IV_OCTETS + TAG_OCTETS));
    return Buffer.concat([decipher.update(sealed.subarray(IV_OCTETS + TAG_OCTETS)), decipher.final()]);
  } catch (error) {
    throw wrongMasterKey(error);
  }
}
