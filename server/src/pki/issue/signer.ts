import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";
import { issuanceFailed } from "../errors.ts";
import { readCertificate } from "../verify/read-certificate.ts";
import { type IssuerCertificate, issuerCertificate } from "./issuer.ts";
import { lintLeaf } from "./lint-leaf.ts";

/**
 * Signs leaves for one issuing certificate. Asynchronous, because the key may be in an HSM or a cloud service. It validates what it
 * signs: client leaves and nothing else. Every failure is `MusterError` issuance_failed.
 */
export interface Signer {
  readonly issuer: IssuerCertificate;
  /** The DER Ecdsa-Sig-Value, ECDSA with SHA-256, over a TBSCertificate. */
  sign(tbs: Buffer): Promise<Buffer>;
}

/**
 * A signer whose P-256 key is in the memory of this process.
 *
 * @throws MusterError issuance_failed when the certificate is not an authority's or has another key; so the start fails, rather than
 *   the first enrollment
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
