import type { PeerCertificate } from "../../certificates/certificates.ts";
import { isMusterError } from "../../lib/errors.ts";
import { type CertificateFacts, readCertificate } from "../../pki/pki.ts";
import { deadline } from "../deadline-store.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type Renewal, type RenewalAnswer, recordRenewal } from "./renewal.ts";

/**
 * A renewal in one round trip: the presented certificate, whose chain is verified, names its device, so the successor is signed at once, and the
 * statement that records it checks everything. `undefined` when nothing was recorded, or where this is not tried: the facts then say why it is
 * refused. They do not where its device was locked: then it is recorded after that lock, with no other tenant's behind it.
 */
export async function renewAtOnce(
  deps: EnrollmentDeps,
  peer: PeerCertificate,
  renewal: Renewal,
): Promise<RenewalAnswer | undefined> {
  const { fingerprint, now } = renewal;
  const presented = readPresented(peer);
  if (presented?.commonName === undefined || presented.isCa || presented.notAfter <= now) return undefined;
  if (deps.refusedCertificates.has(fingerprint)) return undefined;
  // Refusals that come before that of the signer are found with the facts; then its failure is thrown again.
  const signed = await renewal.sign(presented.commonName).catch(() => undefined);
  if (signed === undefined) return undefined;
  const answer = await recordRenewal(deps, renewal, presented.commonName, signed, { until: deadline(deps) });
  if (typeof answer === "object") return answer;
  deps.refusedCertificates.add(fingerprint);
  return undefined;
}

function readPresented({ der }: PeerCertificate): CertificateFacts | undefined {
  try {
    return readCertificate(der);
  } catch (error) {
    if (isMusterError(error, "invalid_certificate")) return undefined;
    throw error;
  }
}
