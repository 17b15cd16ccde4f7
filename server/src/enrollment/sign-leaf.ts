import { isMusterError } from "../lib/errors.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { withTimeout } from "../lib/timeouts.ts";
import { issueLeaf, type LeafCertificate, type LeafProfile, newSerialNumber } from "../pki/pki.ts";
import type { EnrollmentDeps } from "./deps.ts";
import { refusal } from "./errors.ts";
import { SIGN_TIMEOUT_MS } from "./limits.ts";

/** A leaf with the chain to present with it. It may leave the process only once it is recorded. */
export interface SignedLeaf {
  leaf: LeafCertificate;
  /** The issuing intermediate, as PEM. */
  chainPem: string;
  /** The chain as DER, nearest first. */
  chainDers: Buffer[];
}

/**
 * Signs a leaf with a fresh serial number, chosen before signing.
 *
 * @throws MusterError issuance_failed when the signer fails, does not answer for 5 s, or the leaf would outlive its
 * issuer
 */
export async function signLeaf(
  deps: EnrollmentDeps,
  wanted: { profile: LeafProfile; deviceId: string; spki: Buffer; now: Date },
): Promise<SignedLeaf> {
  const stop = deps.metrics.signing.startTimer();
  try {
    const { signer, chainPem } = deps.authorities.issuer();
    const { profile, deviceId: commonName, spki, now } = wanted;
    const request = { profile, commonName, serialNumber: newSerialNumber(deps.ids), spki, now };
    await faultPoint("sign.before");
    const leaf = await withTimeout(issueLeaf(request, signer), deps.signTimeoutMs ?? SIGN_TIMEOUT_MS, refuseLate);
    await faultPoint("sign.after");
    return { leaf, chainPem, chainDers: [signer.issuer.der] };
  } catch (error) {
    deps.logger.error({ err: error }, "could not sign a certificate");
    if (isMusterError(error, "issuance_failed")) throw error;
    throw refusal("issuance_failed", { cause: error });
  } finally {
    stop();
  }
}

/**
 * Throws the time-out error. A leaf that is signed later is discarded; nothing accepts it, because it is not recorded.
 */
function refuseLate(): never {
  throw refusal("issuance_failed", { message: "The signer does not answer; retry shortly." });
}
