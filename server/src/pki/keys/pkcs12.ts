import { createCipheriv, createHmac, hash, pbkdf2Sync } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";
import { contextTag, TAG } from "../der/der-reader.ts";
import { der, NULL, octetString, sequence, setOf, smallInteger } from "../der/der-writer.ts";
import { OID, SHA256 } from "../der/oids.ts";
import { pkcs12MacKey } from "./pkcs12-mac-key.ts";

/** The contents of a bundle's PKCS#12 file (spec 2.4). */
export interface Pkcs12Contents {
  /** Unencrypted PKCS#8, DER. */
  readonly privateKeyPkcs8: Buffer;
  readonly leafDer: Buffer;
  /** The issuing chain above the leaf, nearest first. */
  readonly chainDers: readonly Buffer[];
  /** An ASCII passphrase from `newPassphrase`. */
  readonly passphrase: string;
  /** The alias under which key stores list the entry, e.g. the device id. */
  readonly friendlyName: string;
}

/**
 * The default iteration count of OpenSSL. The passphrases have 120 random bits, which a higher count would not improve,
 * and it would block the event loop for longer.
 */
const ITERATIONS = 2048;

/**
 * Builds a PKCS#12 file (RFC 7292): PBES2 (AES-256-CBC, PBKDF2 with HMAC-SHA256) encrypts certificates and key
 * separately, and HMAC-SHA256 authenticates them. OpenSSL 3, GnuTLS and Java 17 open it. PKI.js would do the same in 70
 * lines with five more packages (docs/decisions/0003-own-der-for-certificates.md).
 */
export function buildPkcs12(contents: Pkcs12Contents, ids: Pick<Ids, "bytes">): Buffer {
  const keyId = hash("sha256", contents.leafDer, "buffer").subarray(0, 20);
  const names = setOf(
    attribute(OID.friendlyName, bmpString(contents.friendlyName)),
    attribute(OID.localKeyId, octetString(keyId)),
  );
  const certificates = sequence(
    certificateBag(contents.leafDer, names),
    ...contents.chainDers.map((chained) => certificateBag(chained)),
  );
  const key = sequence(keyBag(contents, names, ids));
  const safe = sequence(encryptedData(certificates, contents.passphrase, ids), data(key));
  return sequence(smallInteger(3), data(safe), mac(safe, contents.passphrase, ids));
}

/** Builds a ContentInfo of type data. */
function data(content: Buffer): Buffer {
  return sequence(OID.pkcs7Data, explicit(octetString(content)));
}

/** Builds a ContentInfo of type encryptedData, around SafeContents. */
function encryptedData(safeContents: Buffer, passphrase: string, ids: Pick<Ids, "bytes">): Buffer {
  const { algorithm, ciphertext } = encrypt(safeContents, passphrase, ids);
  const content = sequence(OID.pkcs7Data, algorithm, der(contextTag(0, false), ciphertext));
  return sequence(OID.pkcs7EncryptedData, explicit(sequence(smallInteger(0), content)));
}

function certificateBag(certificateDer: Buffer, attributes?: Buffer): Buffer {
  const bag = sequence(OID.x509Certificate, explicit(octetString(certificateDer)));
  return sequence(OID.certBag, explicit(bag), ...(attributes ? [attributes] : []));
}

function keyBag(contents: Pkcs12Contents, attributes: Buffer, ids: Pick<Ids, "bytes">): Buffer {
  const { algorithm, ciphertext } = encrypt(contents.privateKeyPkcs8, contents.passphrase, ids);
  return sequence(OID.pkcs8ShroudedKeyBag, explicit(sequence(algorithm, octetString(ciphertext))), attributes);
}

/** Encrypts with PBES2 (RFC 8018 6.2) under a new salt and initialization vector. */
function encrypt(
  plain: Buffer,
  passphrase: string,
  ids: Pick<Ids, "bytes">,
): { algorithm: Buffer; ciphertext: Buffer } {
  const salt = ids.bytes(16);
  const iv = ids.bytes(16);
  const cipher = createCipheriv("aes-256-cbc", pbkdf2Sync(passphrase, salt, ITERATIONS, 32, "sha256"), iv);
  const derivation = sequence(octetString(salt), smallInteger(ITERATIONS), sequence(OID.hmacWithSha256, NULL));
  return {
    algorithm: sequence(
      OID.pbes2,
      sequence(sequence(OID.pbkdf2, derivation), sequence(OID.aes256Cbc, octetString(iv))),
    ),
    ciphertext: Buffer.concat([cipher.update(plain), cipher.final()]),
  };
}

function mac(safe: Buffer, passphrase: string, ids: Pick<Ids, "bytes">): Buffer {
  const salt = ids.bytes(16);
  const digest = createHmac("sha256", pkcs12MacKey(passphrase, salt, ITERATIONS))
    .update(safe)
    .digest();
  return sequence(sequence(SHA256, octetString(digest)), octetString(salt), smallInteger(ITERATIONS));
}

function attribute(type: Buffer, value: Buffer): Buffer {
  return sequence(type, setOf(value));
}

function bmpString(text: string): Buffer {
  return der(TAG.bmpString, Buffer.from(text, "utf16le").swap16());
}

function explicit(content: Buffer): Buffer {
  return der(contextTag(0), content);
}
