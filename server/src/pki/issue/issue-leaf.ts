import { hash } from "node:crypto";
import { KEY_USAGE, OID } from "../der/oids.ts";
import { issuanceFailed } from "../errors.ts";
import { isEcdsaSignature } from "../keys/ecdsa.ts";
import { certificatePem } from "../pem.ts";
import {
  authorityKeyIdentifier,
  extendedKeyUsage,
  keyIdentifier,
  keyUsage,
  NOT_A_CA,
  subjectKeyIdentifier,
} from "./extensions.ts";
import type { IssuerCertificate } from "./issuer.ts";
import { type LeafProfile, type LeafValidity, leafValidity } from "./profiles.ts";
import { isSerialNumber } from "./serial.ts";
import { type Signer, signWith } from "./signer.ts";
import { certificate, leafName, tbsCertificate } from "./tbs.ts";

export interface LeafRequest {
  readonly profile: LeafProfile;
  /** The device id: 1 to 64 of `[A-Za-z0-9_-]`. */
  readonly commonName: string;
  /** A value of `newSerialNumber`, chosen before signing because the subject repeats it. */
  readonly serialNumber: string;
  /** The key from `readCsr` or `generateDeviceKey`. */
  readonly spki: Buffer;
  readonly now: Date;
}

export interface LeafCertificate extends LeafValidity {
  readonly der: Buffer;
  readonly pem: string;
  /** SHA-256 of the DER, lower-case hex, by which certificates are found. */
  readonly fingerprintSha256: string;
  readonly serialNumber: string;
  /** `CN=<device id>, serialNumber=<hex>` */
  readonly subject: string;
}

const COMMON_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const DIGITAL_SIGNATURE = keyUsage(KEY_USAGE.digitalSignature);
const CLIENT_AUTH = extendedKeyUsage(OID.clientAuth);

/**
 * Issues the leaf of a device.
 *
 * @throws MusterError issuance_failed when the signer fails or the leaf would outlive its issuer
 */
export async function issueLeaf(request: LeafRequest, signer: Signer): Promise<LeafCertificate> {
  const validity = leafValidity(request.profile, request.now);
  const tbs = buildLeaf(request, validity, signer.issuer);
  const signature = await signWith(signer, tbs);
  if (!isEcdsaSignature(signature)) throw issuanceFailed("The signer did not return a P-256 signature.");
  const der = certificate(tbs, signature);
  return {
    ...validity,
    der,
    pem: certificatePem(der),
    fingerprintSha256: hash("sha256", der, "hex"),
    serialNumber: request.serialNumber,
    subject: `CN=${request.commonName}, serialNumber=${request.serialNumber}`,
  };
}

/** Builds the TBSCertificate of a leaf. Throws `issuance_failed` if it would break the profile. */
function buildLeaf(request: LeafRequest, validity: LeafValidity, issuer: IssuerCertificate): Buffer {
  if (!COMMON_NAME.test(request.commonName))
    throw issuanceFailed("The device id is not valid as the name of a certificate.");
  if (!isSerialNumber(request.serialNumber))
    throw issuanceFailed("The serial number is not 16 octets in hex with the top bit clear.");
  if (validity.notAfter > issuer.notAfter) throw issuanceFailed("The certificate would outlive its issuer.");
  return tbsCertificate({
    serialNumber: request.serialNumber,
    issuer: issuer.subject,
    notBefore: validity.notBefore,
    notAfter: validity.notAfter,
    subject: leafName(request.commonName, request.serialNumber),
    spki: request.spki,
    extensions: [
      NOT_A_CA,
      DIGITAL_SIGNATURE,
      CLIENT_AUTH,
      subjectKeyIdentifier(keyIdentifier(request.spki)),
      authorityKeyIdentifier(issuer.subjectKeyIdentifier),
    ],
  });
}
