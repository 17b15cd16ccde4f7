import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import { KEY_USAGE, OID } from "../der/oids.ts";
import { issuanceFailed } from "../errors.ts";
import { certificatePem } from "../pem.ts";
import { readCertificate } from "../verify/read-certificate.ts";
import {
  authorityKeyIdentifier,
  certificateAuthority,
  extendedKeyUsage,
  keyIdentifier,
  keyUsage,
  NOT_A_CA,
  subjectAltName,
  subjectKeyIdentifier,
} from "./extensions.ts";
import { wholeSecond } from "./profiles.ts";
import { certificate, commonNameOnly, tbsCertificate } from "./tbs.ts";

/** A certificate of an authority or a server of this installation, with its private key. */
export interface OwnCertificate {
  readonly certificateDer: Buffer;
  readonly certificatePem: string;
  readonly privateKey: KeyObject;
  readonly name: string;
  readonly serialNumber: string;
  readonly fingerprintSha256: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate authority with its key: an {@link OwnCertificate}, or one loaded from the database. */
export interface IssuingPair {
  readonly certificateDer: Buffer;
  readonly privateKey: KeyObject;
}

export interface NewCertificate {
  /** The subject's CN. It must differ between generations, because chains are built by name. */
  readonly name: string;
  readonly now: Date;
  /** The validity in whole days from now; the end of the issuer limits it. */
  readonly validDays: number;
  /** A value of `newSerialNumber`. */
  readonly serialNumber: string;
}

/**
 * The validity in days. An intermediate is valid for several times the longest leaf, a root for several intermediates.
 */
export const VALID_DAYS = { deviceRoot: 7300, issuingIntermediate: 1826, serverRoot: 3652, server: 90 } as const;

const CA_KEY_USAGE = keyUsage(KEY_USAGE.keyCertSign, KEY_USAGE.crlSign);
const DIGITAL_SIGNATURE = keyUsage(KEY_USAGE.digitalSignature);
const SERVER_AUTH = extendedKeyUsage(OID.serverAuth);

/**
 * The backdating of authorities. It exceeds that of leaves, whose `notBefore` must not precede the issuer's, and
 * tolerates slow clocks.
 */
const BACKDATE = HOUR;

/** Creates the trust anchor of device certificates: self-signed, with at most one level of intermediates. */
export function createDeviceRoot(wanted: NewCertificate): OwnCertificate {
  return make(wanted, undefined, [certificateAuthority(1), CA_KEY_USAGE]);
}

/** Creates the authority that signs leaves; `pathlen:0` forbids authorities below it (RFC 5280 4.2.1.9). */
export function createIssuingIntermediate(wanted: NewCertificate, root: IssuingPair): OwnCertificate {
  return make(wanted, root, [certificateAuthority(0), CA_KEY_USAGE]);
}

/** Creates the trust anchor of the broker's and HTTPS certificates, separate from that of devices. */
export function createServerRoot(wanted: NewCertificate): OwnCertificate {
  return make(wanted, undefined, [certificateAuthority(0), CA_KEY_USAGE]);
}

/**
 * Creates a server certificate for the broker or for development HTTPS.
 *
 * @param wanted `hosts` are DNS names and IP addresses, at least one
 * @throws TypeError when a host is neither
 */
export function createServerCertificate(
  wanted: NewCertificate & { readonly hosts: readonly string[] },
  root: IssuingPair,
): OwnCertificate {
  if (wanted.hosts.length === 0) throw new TypeError("A server certificate needs at least one host.");
  return make(wanted, root, [NOT_A_CA, DIGITAL_SIGNATURE, SERVER_AUTH, subjectAltName(wanted.hosts)]);
}

function make(wanted: NewCertificate, issuer: IssuingPair | undefined, extensions: readonly Buffer[]): OwnCertificate {
  if (wanted.name.length < 1 || wanted.name.length > 64)
    throw new TypeError("A certificate's name must have 1 to 64 characters.");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ format: "der", type: "spki" });
  const subject = commonNameOnly(wanted.name);
  const parent = issuer === undefined ? undefined : parentOf(issuer, wanted.now);
  const tbs = tbsCertificate({
    serialNumber: wanted.serialNumber,
    issuer: parent?.subject ?? subject,
    ...validityOf(wanted, parent?.notAfter),
    subject,
    spki,
    extensions: [
      ...extensions,
      subjectKeyIdentifier(keyIdentifier(spki)),
      authorityKeyIdentifier(parent?.keyId ?? keyIdentifier(spki)),
    ],
  });
  const der = certificate(tbs, sign("sha256", tbs, issuer?.privateKey ?? privateKey));
  return { ...describe(der), name: wanted.name, privateKey };
}

function parentOf(issuer: IssuingPair, now: Date): { subject: Buffer; keyId: Buffer; notAfter: Date } {
  const facts = readCertificate(issuer.certificateDer);
  if (!facts.isCa || facts.subjectKeyIdentifier === undefined) {
    throw issuanceFailed("The issuer is not a certificate authority.");
  }
  if (facts.notAfter <= now) throw issuanceFailed("The issuer has expired.");
  return { subject: facts.subjectDer, keyId: facts.subjectKeyIdentifier, notAfter: facts.notAfter };
}

function validityOf({ now, validDays }: NewCertificate, limit: Date | undefined): { notBefore: Date; notAfter: Date } {
  const start = wholeSecond(now);
  const end = addMs(start, validDays * DAY);
  return { notBefore: addMs(start, -BACKDATE), notAfter: limit !== undefined && limit < end ? limit : end };
}

function describe(der: Buffer): Omit<OwnCertificate, "name" | "privateKey"> {
  const { fingerprintSha256, serialNumber, notBefore, notAfter } = readCertificate(der);
  return {
    certificateDer: der,
    certificatePem: certificatePem(der),
    fingerprintSha256,
    serialNumber,
    notBefore,
    notAfter,
  };
}
