/**
 * Opens values that were sealed before seals were bound to records: private keys as PKCS#8 encrypted with AES-256-CBC,
 * others with AES-256-GCM without associated data. Only a start that finds the earlier check value reads them, to seal
 * everything again.
 */
import { createDecipheriv, createPrivateKey, type KeyObject } from "node:crypto";
import { deriveKey, wrongMasterKey } from "./keystore.ts";

/** @throws MusterError wrong_master_key when it cannot be decrypted */
export function openEarlierPrivateKey(encryptedPem: string, masterKey: Buffer): KeyObject {
  const passphrase = deriveKey(masterKey, "keystore").toString("base64url");
  try {
    return createPrivateKey({ key: encryptedPem, format: "pem", passphrase });
  } catch (error) {
    throw wrongMasterKey(error);
  }
}

/** @throws MusterError wrong_master_key when it cannot be decrypted */
export function openEarlierSeal(sealed: Buffer, purpose: "retired-keys" | "secrets", masterKey: Buffer): Buffer {
  try {
    const decipher = createDecipheriv("aes-256-gcm", deriveKey(masterKey, purpose), sealed.subarray(0, 12), {
      authTagLength: 16,
    });
    decipher.setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch (error) {
    throw wrongMasterKey(error);
  }
}
