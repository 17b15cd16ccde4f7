import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { MusterError } from "../lib/errors.ts";
import { issuanceFailed } from "./errors.ts";
import { type IssuerCertificate, issuerCertificate } from "./issuer.ts";
import { lintLeaf } from "./lint.ts";
import { readCertificate } from "./read-certificate.ts";

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

/** Signs `tbs`, turning every failure of the signer into `issuance_failed` with its cause kept for the log. */
export async function signWith(signer: Signer, tbs: Buffer): Promise<Buffer> {
  try {
    return await signer.sign(tbs);
  } catch (error) {
    if (error instanceof MusterError && error.code === "issuance_failed") throw error;
    throw issuanceFailed("The certificate could not be signed.", error);
  }
}
