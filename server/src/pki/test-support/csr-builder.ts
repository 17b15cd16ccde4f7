import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { contextTag } from "../der/der-reader.ts";
import { bitString, der, oid, sequence, setOf, smallInteger, utf8String } from "../der/der-writer.ts";
import { ECDSA_WITH_SHA256, OID } from "../der/oids.ts";

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function newKeyPair(namedCurve = "P-256"): KeyPair {
  return generateKeyPairSync("ec", { namedCurve });
}

export function spkiOf(pair: KeyPair): Buffer {
  return pair.publicKey.export({ format: "der", type: "spki" });
}

/** The parts of a CSR, each replaceable; the default is what an honest device sends. */
export interface CsrParts {
  pair?: KeyPair;
  version?: Buffer;
  subject?: Buffer;
  spki?: Buffer;
  attributes?: Buffer;
  /** Further elements at the end of the signed part. */
  extra?: Buffer;
  /** Rewrites the signed part before it is signed. */
  info?: (info: Buffer) => Buffer;
  hash?: string;
  algorithm?: Buffer;
  /** The signature BIT STRING's octets, made over the signed part. */
  signature?: (info: Buffer, key: KeyObject) => Buffer;
  signatureElement?: (octets: Buffer) => Buffer;
  outer?: (info: Buffer, algorithm: Buffer, signature: Buffer) => Buffer;
}

/** Returns a CSR in DER, signed after every replacement in the signed part, so that it has only the intended fault. */
export function csrDer(parts: CsrParts = {}): Buffer {
  const pair = parts.pair ?? newKeyPair();
  const plain = sequence(
    parts.version ?? smallInteger(0),
    parts.subject ?? nameOf("pump-1"),
    parts.spki ?? spkiOf(pair),
    parts.attributes ?? der(contextTag(0)),
    parts.extra ?? Buffer.alloc(0),
  );
  const info = parts.info?.(plain) ?? plain;
  const octets = parts.signature?.(info, pair.privateKey) ?? sign(parts.hash ?? "sha256", info, pair.privateKey);
  const element = parts.signatureElement?.(octets) ?? bitString(octets);
  const algorithm = parts.algorithm ?? ECDSA_WITH_SHA256;
  return parts.outer?.(info, algorithm, element) ?? sequence(info, algorithm, element);
}

export function nameOf(commonName: string): Buffer {
  return sequence(setOf(sequence(OID.commonName, utf8String(commonName))));
}

/** Returns an attribute of `type` (dotted) with the given values. */
export function attribute(type: string, ...values: Buffer[]): Buffer {
  return sequence(oid(type), der(0x31, ...values));
}

export function attributes(...list: Buffer[]): Buffer {
  return der(contextTag(0), ...list);
}

export function csrPem(request: Buffer, { label = "CERTIFICATE REQUEST", eol = "\n", width = 64 } = {}): string {
  const lines = request.toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join(eol);
}
