import { createPublicKey, type KeyObject } from "node:crypto";
import { type DerElement, DerError, DerReader, TAG } from "../der/der-reader.ts";
import { OID } from "../der/oids.ts";

/** The prefix of the 64 coordinate octets of an uncompressed P-256 key in a SubjectPublicKeyInfo (RFC 5480 2). */
export const P256_SPKI_PREFIX = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d03010703420004", "hex");
export const P256_SPKI_LENGTH = P256_SPKI_PREFIX.length + 64;

/** The order of the P-256 group (FIPS 186-4 D.1.2.3). */
const P256_ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

/**
 * Returns whether `spki` has the form of an uncompressed P-256 key; {@link importP256} validates that the point is on
 * the curve.
 */
export function isP256Spki(spki: Buffer): boolean {
  return (
    spki.length === P256_SPKI_LENGTH &&
    spki.compare(P256_SPKI_PREFIX, 0, P256_SPKI_PREFIX.length, 0, P256_SPKI_PREFIX.length) === 0
  );
}

/**
 * Imports the key of an uncompressed P-256 SubjectPublicKeyInfo. OpenSSL refuses coordinates that are off the curve or
 * out of range. The key is imported as PEM, because Node tries several decoders on DER: 17 µs instead of 39 µs.
 */
export function importP256(spki: Buffer): KeyObject {
  return createPublicKey(`-----BEGIN PUBLIC KEY-----\n${spki.toString("base64")}\n-----END PUBLIC KEY-----\n`);
}

export type EcdsaHash = "sha256" | "sha384" | "sha512";

/**
 * Returns the hash of an ECDSA AlgorithmIdentifier. Parameters must be absent (RFC 5758 3.2). NULL is accepted, because
 * mbedTLS 2 (ESP-IDF 4), tpm2-openssl and older wolfSSL write it, and it has no meaning.
 */
export function ecdsaHash(algorithm: DerElement): EcdsaHash {
  const reader = algorithm.enter();
  const id = reader.read(TAG.oid, "signature algorithm").whole();
  if (reader.tag === TAG.null && reader.next().length !== 0) throw new DerError("The DER has a NULL with a value.");
  reader.finish("signature algorithm");
  if (id.equals(OID.ecdsaWithSha256)) return "sha256";
  if (id.equals(OID.ecdsaWithSha384)) return "sha384";
  if (id.equals(OID.ecdsaWithSha512)) return "sha512";
  throw new DerError("The signature algorithm is not ECDSA with SHA-256, SHA-384 or SHA-512.");
}

/**
 * Returns the octets of a signature BIT STRING, after checking that they are an Ecdsa-Sig-Value of P-256: 1 ≤ r, s < n.
 */
export function p256Signature(signature: DerElement): Buffer {
  const octets = wholeOctets(signature, "signature");
  checkSignature(octets);
  return octets;
}

/** Returns whether `octets` are an Ecdsa-Sig-Value of P-256; says nothing about the signed data. */
export function isEcdsaSignature(octets: Buffer): boolean {
  try {
    checkSignature(octets);
    return true;
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

function checkSignature(octets: Buffer): void {
  const outer = new DerReader(octets);
  const pair = outer.read(TAG.sequence, "signature").enter();
  outer.finish("signature");
  checkScalar(pair.read(TAG.integer, "signature's r"));
  checkScalar(pair.read(TAG.integer, "signature's s"));
  pair.finish("signature");
}

/** Returns the octets of a BIT STRING without unused bits. */
export function wholeOctets(bits: DerElement, what: string): Buffer {
  const content = bits.content();
  if (content.length < 2 || content[0] !== 0) throw new DerError(`The ${what} is not a string of whole octets.`);
  return content.subarray(1);
}

function checkScalar(integer: DerElement): void {
  let value = integer.content();
  if (value.length === 0) throw new DerError("The signature contains an empty number.");
  if (value[0]! >= 0x80) throw new DerError("The signature contains a negative number.");
  if (value[0] === 0) {
    if (value.length === 1) throw new DerError("The signature contains a zero.");
    if (value[1]! < 0x80) throw new DerError("The signature contains a number that is not minimal DER.");
    value = value.subarray(1);
  }
  if (value.length > 32 || (value.length === 32 && value.compare(P256_ORDER) >= 0)) {
    throw new DerError("The signature contains a number outside the range of P-256.");
  }
}
