import { issuanceFailed } from "../errors.ts";
import { readCertificate } from "../verify/read-certificate.ts";

/** The parts of an authority's certificate that its signer uses. */
export interface IssuerCertificate {
  readonly der: Buffer;
  /** The subject Name, DER; the issuer of every certificate that it signs. */
  readonly subject: Buffer;
  readonly subjectKeyIdentifier: Buffer;
  readonly notAfter: Date;
  /** SHA-256 of the DER, lower-case hex. */
  readonly fingerprintSha256: string;
}

/** @throws MusterError invalid_certificate, or issuance_failed when the certificate is not an authority's */
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
