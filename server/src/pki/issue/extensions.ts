import { hash } from "node:crypto";
import { addressOctets } from "../../lib/address.ts";
import { contextTag } from "../der/der-reader.ts";
import { der, namedBits, octetString, sequence, smallInteger, TRUE } from "../der/der-writer.ts";
import { OID } from "../der/oids.ts";

/** Encodes one Extension (RFC 5280 4.2) around the DER of its value. */
function extension(id: Buffer, critical: boolean, value: Buffer): Buffer {
  return critical ? sequence(id, TRUE, octetString(value)) : sequence(id, octetString(value));
}

/** An end entity: an empty BasicConstraints, since DER omits cA DEFAULT FALSE. */
export const NOT_A_CA = extension(OID.basicConstraints, true, sequence());

/** Returns the constraints of an authority with at most `pathLength` levels of authorities below it. */
export function certificateAuthority(pathLength: number): Buffer {
  return extension(OID.basicConstraints, true, sequence(TRUE, smallInteger(pathLength)));
}

export function keyUsage(...bits: readonly number[]): Buffer {
  return extension(OID.keyUsage, true, namedBits(...bits));
}

export function extendedKeyUsage(purpose: Buffer): Buffer {
  return extension(OID.extendedKeyUsage, false, sequence(purpose));
}

export function subjectKeyIdentifier(keyId: Buffer): Buffer {
  return extension(OID.subjectKeyIdentifier, false, octetString(keyId));
}

export function authorityKeyIdentifier(keyId: Buffer): Buffer {
  return extension(OID.authorityKeyIdentifier, false, sequence(der(contextTag(0, false), keyId)));
}

/** Returns the key identifier of a P-256 key: the first 160 bits of the SHA-256 of its point (RFC 7093 method 1). */
export function keyIdentifier(spki: Buffer): Buffer {
  return hash("sha256", spki.subarray(-65), "buffer").subarray(0, 20);
}

/** Returns the SubjectAltName of host names and IP addresses, in the given order. */
export function subjectAltName(hosts: readonly string[]): Buffer {
  return extension(OID.subjectAltName, false, sequence(...hosts.map(generalName)));
}

const DNS_NAME = /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;

function generalName(host: string): Buffer {
  const octets = addressOctets(host);
  if (octets !== undefined) return der(contextTag(7, false), octets);
  if (host.length > 253 || !DNS_NAME.test(host)) throw new TypeError("A host name for the certificate is not valid.");
  return der(contextTag(2, false), Buffer.from(host, "ascii"));
}
