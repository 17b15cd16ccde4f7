import { issuanceFailed } from "./errors.ts";
import { readCertificate } from "./read-certificate.ts";

/** What a signer must know about the certificate it signs for. */
export interface IssuerCertificate {
  readonly der: Buffer;
  /** The subject Name, DER, which becomes the issuer of what it signs. */
  readonly subject: Buffer;
  readonly subjectKeyIdentifier: Buffer;
  readonly notAfter: Date;
  /** SHA-256 of the DER, lower-case hex. */
  readonly fingerprintSha256: string;
}

/** The issuer's view of its own certificate. Throws `invalid_certificate`. */
export function issuerCertificate(certificateDer: Buffer): IssuerCertificate {
  const certificate = readCertificate(certificateDer);
  if (!certificate.isCa || certificate.subjectKeyIdentifier === undefined) {
    throw issuanceFailed("The issuing certificate is not a certificate authority.");
  }
  return {
    der: certificateDer,
    subject: certificate.subjectDer,
    subjectKeyIdentifier: certificate.subjectKeyIdentifier,
    notAfter: certificate.notAfter,
    fingerprintSha256: certificate.fingerprintSha256,
  };
}
