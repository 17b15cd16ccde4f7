import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { MusterError } from "../lib/errors.ts";
import { issuanceFailed } from "./errors.ts";
import { lintLeaf } from "./lint.ts";
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

/**
 * Signs leaves for one issuing certificate. Asynchronous because a key may live in an HSM or a cloud service; it may fail,
 * and then throws `MusterError<"issuance_failed">`. It checks again what it is asked to sign: nothing but a client leaf.
 */
export interface Signer {
  readonly issuer: IssuerCertificate;
  /** The DER Ecdsa-Sig-Value, ECDSA with SHA-256, over a TBSCertificate. */
  sign(tbs: Buffer): Promise<Buffer>;
}

/**
 * A signer whose P-256 key is in this process, as decrypted from the keystore. Throws `issuance_failed` when the
 * certificate is no authority or not of that key: found at start, not by the first device.
 */
export function fileSigner(certificateDer: Buffer, privateKey: KeyObject): Signer {
  const issuer = issuerCertificate(certificateDer);
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  if (!spki.equals(readCertificate(certificateDer).spki)) {
    throw issuanceFailed("The issuing certificate is not of the key it came with.");
  }
  return {
    issuer,
    sign: async (tbs) => {
      lintLeaf(tbs, issuer);
      return sign("sha256", tbs, privateKey);
    },
  };
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

/** Signs `tbs`, turning every failure of the signer into `issuance_failed` with its cause kept for the log. */
export async function signWith(signer: Signer, tbs: Buffer): Promise<Buffer> {
  try {
    return await signer.sign(tbs);
  } catch (error) {
    if (error instanceof MusterError && error.code === "issuance_failed") throw error;
    throw issuanceFailed("The certificate could not be signed.", error);
  }
}
