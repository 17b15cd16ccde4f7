import { NULL, oid, sequence } from "./der-writer.ts";

/** Object identifiers as complete DER elements, compared as bytes. */
export const OID = {
  commonName: oid("2.5.4.3"),
  serialNumber: oid("2.5.4.5"),
  subjectKeyIdentifier: oid("2.5.29.14"),
  keyUsage: oid("2.5.29.15"),
  subjectAltName: oid("2.5.29.17"),
  basicConstraints: oid("2.5.29.19"),
  authorityKeyIdentifier: oid("2.5.29.35"),
  extendedKeyUsage: oid("2.5.29.37"),
  serverAuth: oid("1.3.6.1.5.5.7.3.1"),
  clientAuth: oid("1.3.6.1.5.5.7.3.2"),
  ecdsaWithSha256: oid("1.2.840.10045.4.3.2"),
  ecdsaWithSha384: oid("1.2.840.10045.4.3.3"),
  ecdsaWithSha512: oid("1.2.840.10045.4.3.4"),
  extensionRequest: oid("1.2.840.113549.1.9.14"),
  friendlyName: oid("1.2.840.113549.1.9.20"),
  localKeyId: oid("1.2.840.113549.1.9.21"),
  x509Certificate: oid("1.2.840.113549.1.9.22.1"),
  pkcs7Data: oid("1.2.840.113549.1.7.1"),
  pkcs7EncryptedData: oid("1.2.840.113549.1.7.6"),
  pkcs8ShroudedKeyBag: oid("1.2.840.113549.1.12.10.1.2"),
  certBag: oid("1.2.840.113549.1.12.10.1.3"),
  pbkdf2: oid("1.2.840.113549.1.5.12"),
  pbes2: oid("1.2.840.113549.1.5.13"),
  hmacWithSha256: oid("1.2.840.113549.2.9"),
  aes256Cbc: oid("2.16.840.1.101.3.4.1.42"),
  sha256: oid("2.16.840.1.101.3.4.2.1"),
} as const;

/** The AlgorithmIdentifier of every signature that the authority makes; parameters are absent (RFC 5758 3.2). */
export const ECDSA_WITH_SHA256 = sequence(OID.ecdsaWithSha256);

/** The AlgorithmIdentifier of SHA-256 inside a DigestInfo; parameters are NULL, as PKCS#12 readers expect. */
export const SHA256 = sequence(OID.sha256, NULL);

/** The bit numbers of KeyUsage (RFC 5280 4.2.1.3). */
export const KEY_USAGE = { digitalSignature: 0, keyCertSign: 5, crlSign: 6 } as const;
