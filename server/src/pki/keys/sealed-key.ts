import { createCipheriv, createDecipheriv, createHash, createPrivateKey, type KeyObject } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import { deriveKey } from "./keystore.ts";

const ALGORITHM = "aes-256-gcm";
const IV_OCTETS = 12;
const TAG_OCTETS = 16;
const PEM_LABEL = "MUSTER SEALED PRIVATE KEY";
const PEM = new RegExp(`^-----BEGIN ${PEM_LABEL}-----\n([A-Za-z0-9+/=\n]+)\n-----END ${PEM_LABEL}-----\n$`);

type Random = Pick<Ids, "bytes">;

/**
 * The record that an authority's private key is bound to: the key does not open for another authority, role or
 * certificate.
 */
export interface KeyOwner {
  readonly id: string;
  readonly role: string;
  readonly certificateDer: Buffer;
}

/** The record of a retired key. */
export interface RetiredKeyOwner {
  readonly id: string;
  readonly purpose: string;
}

/** Seals an authority's private key under the master key: its PKCS#8 DER, as PEM with a label of our own. */
export function sealPrivateKey(privateKey: KeyObject, owner: KeyOwner, masterKey: Buffer, ids: Random): string {
  const der = privateKey.export({ type: "pkcs8", format: "der" });
  const sealed = seal(der, contextOf(owner), { key: deriveKey(masterKey, "authority-keys"), ids });
  const lines = sealed.toString("base64").match(/.{1,64}/g)!;
  return `-----BEGIN ${PEM_LABEL}-----\n${lines.join("\n")}\n-----END ${PEM_LABEL}-----\n`;
}

/** Reverses {@link sealPrivateKey}. @throws MusterError sealed_value_changed */
export function openPrivateKey(pem: string, owner: KeyOwner, masterKey: Buffer): KeyObject {
  const what = `private key of the ${owner.role} ${owner.id}`;
  const [, base64 = ""] = PEM.exec(pem) ?? [];
  const der = open(Buffer.from(base64, "base64"), contextOf(owner), {
    key: deriveKey(masterKey, "authority-keys"),
    what,
  });
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

/** Seals a derived key under the master key; the result is the IV, the tag, then the ciphertext. */
export function sealKey(derived: Buffer, owner: RetiredKeyOwner, masterKey: Buffer, ids: Random): Buffer {
  return seal(derived, [owner.id, owner.purpose], { key: deriveKey(masterKey, "retired-keys"), ids });
}

/** Reverses {@link sealKey}. @throws MusterError sealed_value_changed */
export function openKey(sealed: Buffer, owner: RetiredKeyOwner, masterKey: Buffer): Buffer {
  const what = `retired key ${owner.id}`;
  return open(sealed, [owner.id, owner.purpose], { key: deriveKey(masterKey, "retired-keys"), what });
}

/** Seals a secret of the record that `owner` names under the master key, in the format of {@link sealKey}. */
export function sealSecret(secret: Buffer, owner: string, masterKey: Buffer, ids: Random): Buffer {
  return seal(secret, [owner], { key: deriveKey(masterKey, "secrets"), ids });
}

/** Reverses {@link sealSecret}. @throws MusterError sealed_value_changed */
export function openSecret(sealed: Buffer, owner: string, masterKey: Buffer): Buffer {
  return open(sealed, [owner], { key: deriveKey(masterKey, "secrets"), what: `secret of the ${owner}` });
}

function contextOf({ id, role, certificateDer }: KeyOwner): string[] {
  return [id, role, createHash("sha256").update(certificateDer).digest("hex")];
}

/** @param context the record that the value belongs to, authenticated with it (RFC 5116, associated data) */
function seal(plain: Buffer, context: readonly string[], { key, ids }: { key: Buffer; ids: Random }): Buffer {
  const iv = ids.bytes(IV_OCTETS);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(associatedData(context));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

function open(sealed: Buffer, context: readonly string[], { key, what }: { key: Buffer; what: string }): Buffer {
  try {
    const iv = sealed.subarray(0, IV_OCTETS);
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_OCTETS });
    decipher.setAAD(associatedData(context)).setAuthTag(sealed.subarray(IV_OCTETS, IV_OCTETS + TAG_OCTETS));
    return Buffer.concat([decipher.update(sealed.subarray(IV_OCTETS + TAG_OCTETS)), decipher.final()]);
  } catch {
    throw sealedValueChanged(what);
  }
}

function associatedData(context: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(context));
}

/**
 * Returns the error for a stored value that differs from what this master key sealed for its record. The check value of
 * the master key was right.
 */
function sealedValueChanged(what: string): MusterError<"sealed_value_changed"> {
  const sentence = `The stored ${what} cannot be opened with the master key: it was changed in the database, or belongs to another record. Restore the database from a backup, and find out who wrote to it.`;
  return new MusterError("sealed_value_changed", sentence);
}
