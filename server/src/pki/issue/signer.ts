import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";
import { issuanceFailed } from "../errors.ts";
import { readCertificate } from "../verify/read-certificate.ts";
import { type IssuerCertificate, issuerCertificate } from "./issuer.ts";
import { lintLeaf } from "./lint-leaf.ts";

/**
 * Signs leaves for one issuing certificate. It is asynchronous, because the key may be in an HSM or a cloud service. It
 * validates its input and signs client leaves only. Every failure is `MusterError` issuance_failed.
 */
export interface Signer {
  readonly issuer: IssuerCertificate;
  /** Returns the DER Ecdsa-Sig-Value, ECDSA with SHA-256, over a TBSCertificate. */
  sign(tbs: Buffer): Promise<Buffer>;
}

/**
 * Creates a signer whose P-256 key is in the memory of this process.
 *
 * @throws MusterError issuance_failed when the certificate is not an authority's or has another key, so that the start
 * fails rather than the first enrollment
 */
export function fileSigner(certificateDer: Buffer, privateKey: KeyObject): Signer {
  const issuer = issuerCertificate(certificateDer);
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  if (!spki.equals(readCertificate(certificateDer).spki)) {
    throw issuanceFailed("The issuing certificate and the private key do not belong together.");
  }
  return {
    issuer,
    sign: async (tbs) => {
      lintLeaf(tbs, issuer);
      return sign("sha256", tbs, privateKey);
    },
  };
}

/** Signs `tbs`. A failure of the signer becomes `issuance_failed`, with its cause for the log. */
export async function signWith(signer: Signer, tbs: Buffer): Promise<Buffer> {
  try {
    return await signer.sign(tbs);
  } catch (error) {
    if (error instanceof MusterError && error.code === "issuance_failed") throw error;
    throw issuanceFailed("The certificate could not be signed.", error);
  }
}
