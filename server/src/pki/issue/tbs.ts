import { contextTag } from "../der/der-reader.ts";
import {
  bitString,
  der,
  printableString,
  sequence,
  setOf,
  smallInteger,
  time,
  unsignedInteger,
  utf8String,
} from "../der/der-writer.ts";
import { ECDSA_WITH_SHA256, OID } from "../der/oids.ts";

const VERSION_3 = der(contextTag(0), smallInteger(2));

/** The variable parts of a TBSCertificate. Names and keys are complete DER elements. */
export interface TbsFields {
  /** Lower-case hex, 16 octets. */
  serialNumber: string;
  issuer: Buffer;
  notBefore: Date;
  notAfter: Date;
  subject: Buffer;
  spki: Buffer;
  extensions: readonly Buffer[];
}

/** Builds a TBSCertificate, version 3, to be signed with ECDSA and SHA-256 (RFC 5280 4.1). */
export function tbsCertificate(fields: TbsFields): Buffer {
  return sequence(
    VERSION_3,
    unsignedInteger(Buffer.from(fields.serialNumber, "hex")),
    ECDSA_WITH_SHA256,
    fields.issuer,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    fields.subject,
    fields.spki,
    der(contextTag(3), sequence(...fields.extensions)),
  );
}

/** Builds a Certificate from its TBSCertificate and the DER Ecdsa-Sig-Value over it. */
export function certificate(tbs: Buffer, signature: Buffer): Buffer {
  return sequence(tbs, ECDSA_WITH_SHA256, bitString(signature));
}

/**
 * Builds a Name of two relative distinguished names in this order: CN, then serialNumber (docs/spec-decisions.md,
 * Certificates).
 */
export function leafName(commonName: string, serialNumber: string): Buffer {
  return sequence(
    setOf(sequence(OID.commonName, utf8String(commonName))),
    setOf(sequence(OID.serialNumber, printableString(serialNumber))),
  );
}

/** Builds a Name of one CN, for authorities and servers. */
export function commonNameOnly(commonName: string): Buffer {
  return sequence(setOf(sequence(OID.commonName, utf8String(commonName))));
}
