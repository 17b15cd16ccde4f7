import { hash } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { contextTag } from "./der.ts";
import { der, namedBits, octetString, sequence, smallInteger, TRUE } from "./der-write.ts";
import { OID } from "./oids.ts";

/** One Extension (RFC 5280 4.2) around the DER of its value. */
function extension(id: Buffer, critical: boolean, value: Buffer): Buffer {
  return critical ? sequence(id, TRUE, octetString(value)) : sequence(id, octetString(value));
}

/** End entity: an empty BasicConstraints, since cA DEFAULT FALSE is left out in DER. */
export const NOT_A_CA = extension(OID.basicConstraints, true, sequence());

/** A CA with at most `pathLength` further CAs below it. */
export function certificateAuthority(pathLength: number): Buffer {
  return extension(OID.basicConstraints, true, sequence(TRUE, smallInteger(pathLength)));
}

/** Bit numbers of KeyUsage (RFC 5280 4.2.1.3). */
export const KEY_USAGE = { digitalSignature: 0, keyCertSign: 5, crlSign: 6 } as const;

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

/** The key identifier of a P-256 key: the first 160 bits of the SHA-256 of its point (RFC 7093 method 1). */
export function keyIdentifier(spki: Buffer): Buffer {
  return hash("sha256", spki.subarray(-65), "buffer").subarray(0, 20);
}

/** SubjectAltName of host names and IP addresses, in the order given. */
export function subjectAltName(hosts: readonly string[]): Buffer {
  return extension(OID.subjectAltName, false, sequence(...hosts.map(generalName)));
}

const DNS_NAME = /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;

function generalName(host: string): Buffer {
  if (isIPv4(host)) return der(contextTag(7, false), Buffer.from(host.split(".").map(Number)));
  if (isIPv6(host)) return der(contextTag(7, false), ipv6Octets(host));
  if (host.length > 253 || !DNS_NAME.test(host)) throw new TypeError("A host name for the certificate is not valid.");
  return der(contextTag(2, false), Buffer.from(host, "ascii"));
}

/** The 16 octets of an IPv6 address; the URL parser writes it in hexadecimal whatever form it came in. */
function ipv6Octets(address: string): Buffer {
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = new Array<string>(8 - before.length - after.length).fill("0");
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
