import { X509Certificate } from "node:crypto";
import type { RefusalReason } from "../../connections/connections.ts";
import type { CertificateCredential } from "./policy.ts";

/**
 * Maps OpenSSL's code for an unverified certificate to a refusal reason. `intermediates` are the platform's own, DER.
 */
export function chainProblem(credential: CertificateCredential, intermediates: readonly Buffer[]): RefusalReason {
  switch (credential.verifyError) {
    case "CERT_HAS_EXPIRED":
      return "expired";
    case "CERT_NOT_YET_VALID":
      return "not_yet_valid";
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return isIssuedByOneOf(intermediates, credential.der) ? "no_chain" : "wrong_ca";
    default:
      return "wrong_ca";
  }
}

function isIssuedByOneOf(intermediates: readonly Buffer[], der: Buffer): boolean {
  try {
    const leaf = new X509Certificate(der);
    return intermediates.some((intermediate) => {
      const issuer = new X509Certificate(intermediate);
      return leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
    });
  } catch {
    return false;
  }
}
