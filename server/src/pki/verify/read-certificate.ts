import { hash } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";
import { contextTag, type DerElement, DerError, TAG } from "../der/der-reader.ts";
import { OID } from "../der/oids.ts";
import { readSigned } from "../der/signed.ts";
import { isMinimalInteger } from "../der/well-formed.ts";
import { type ExtensionFacts, readExtensions } from "./read-extensions.ts";

/** The content of a certificate. Reading verifies neither its signature nor its validity. */
export interface CertificateFacts extends ExtensionFacts {
  readonly der: Buffer;
  /** SHA-256 of the DER, lower-case hex. */
  readonly fingerprintSha256: string;
  /** Lower-case hex of the INTEGER's magnitude. */
  readonly serialNumber: string;
  readonly issuerDer: Buffer;
  readonly subjectDer: Buffer;
  /** The subject's CN, if it has exactly one. */
  readonly commonName: string | undefined;
  /** The subject's serialNumber attribute (not the certificate's number), if it has exactly one. */
  readonly subjectSerialNumber: string | undefined;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly spki: Buffer;
  readonly spkiSha256: Buffer;
  readonly tbs: Buffer;
  readonly signatureAlgorithm: DerElement;
  readonly signature: DerElement;
}

/** Reads one DER certificate (RFC 5280 4.1). Throws `MusterError` invalid_certificate on anything but strict DER. */
export function readCertificate(der: Buffer): CertificateFacts {
  try {
    return read(der);
  } catch (error) {
    if (error instanceof DerError) throw new MusterError("invalid_certificate", error.message);
    throw error;
  }
}

function read(der: Buffer): CertificateFacts {
  const { body: tbs, algorithm: signatureAlgorithm, signature } = readSigned(der, "certificate");
  const body = readBody(tbs);
  if (!body.algorithm.equals(signatureAlgorithm.whole())) {
    throw new DerError("The certificate names two different signature algorithms.");
  }
  return {
    ...body.facts,
    der,
    fingerprintSha256: hash("sha256", der, "hex"),
    tbs: tbs.whole(),
    signatureAlgorithm,
    signature,
  };
}

type BodyFacts = Omit<CertificateFacts, "der" | "fingerprintSha256" | "tbs" | "signatureAlgorithm" | "signature">;

/** Reads the TBSCertificate alone, as the signer does before it signs. */
export function readBody(tbs: DerElement): { facts: BodyFacts; algorithm: Buffer } {
  const reader = tbs.enter();
  const version = reader.read(contextTag(0), "certificate's version").content();
  if (version.length !== 3 || version[2] !== 2) throw new DerError("The certificate's version is not 3.");
  const serialNumber = readSerial(reader.read(TAG.integer, "certificate's serial number"));
  const algorithm = reader.read(TAG.sequence, "certificate's signature algorithm").whole();
  const issuerDer = reader.read(TAG.sequence, "certificate's issuer").whole();
  const validity = reader.read(TAG.sequence, "certificate's validity").enter();
  const notBefore = readTime(validity.next());
  const notAfter = readTime(validity.next());
  validity.finish("certificate's validity");
  const subject = reader.read(TAG.sequence, "certificate's subject");
  const spki = reader.read(TAG.sequence, "certificate's public key").whole();
  const facts: BodyFacts = {
    serialNumber,
    issuerDer,
    subjectDer: subject.whole(),
    commonName: onlyValue(subject, OID.commonName),
    subjectSerialNumber: onlyValue(subject, OID.serialNumber),
    notBefore,
    notAfter,
    spki,
    spkiSha256: hash("sha256", spki, "buffer"),
    ...readExtensions(reader),
  };
  reader.finish("certificate's body");
  return { facts, algorithm };
}

function readSerial(integer: DerElement): string {
  const value = integer.content();
  if (!isMinimalInteger(value) || value[0]! >= 0x80)
    throw new DerError("The certificate's serial number is not positive.");
  return (value.length > 1 && value[0] === 0 ? value.subarray(1) : value).toString("hex");
}

/** Returns the value of the only attribute of `type` in a Name, or `undefined` if there is none or more than one. */
function onlyValue(name: DerElement, type: Buffer): string | undefined {
  const values: string[] = [];
  const rdns = name.enter();
  while (rdns.more) {
    const rdn = rdns.read(TAG.set, "relative distinguished name").enter();
    while (rdn.more) {
      const part = rdn.read(TAG.sequence, "part of the name").enter();
      const matches = part.read(TAG.oid, "type of a name's part").whole().equals(type);
      const value = part.next();
      part.finish("part of the name");
      if (matches) values.push(value.content().toString(value.tag === TAG.utf8String ? "utf8" : "latin1"));
    }
  }
  return values.length === 1 ? values[0] : undefined;
}

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** Reads a UTCTime or GeneralizedTime in the forms that RFC 5280 4.1.2.5 allows: seconds, Zulu, no fractions. */
function readTime(element: DerElement): Date {
  const text = element.content().toString("latin1");
  const full = element.tag === TAG.utcTime ? `${text.slice(0, 2) < "50" ? "20" : "19"}${text}` : text;
  const match = TIME.exec(full);
  if ((element.tag !== TAG.utcTime && element.tag !== TAG.generalizedTime) || match === null) {
    throw new DerError("The certificate contains a time that is not valid.");
  }
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  if (at.getUTCDate() !== day || at.getUTCHours() !== hour || at.getUTCSeconds() !== second) {
    throw new DerError("The certificate contains a time that does not exist.");
  }
  return at;
}
