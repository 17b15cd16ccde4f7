import type { PeerCertificate } from "../../certificates/certificates.ts";
import { isMusterError } from "../../lib/errors.ts";
import { type CertificateFacts, readCertificate } from "../../pki/pki.ts";
import { deadline } from "../deadline-store.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type Renewal, type RenewalAnswer, recordRenewal } from "./renewal.ts";

/**
 * Renews in one round trip. The presented certificate has a verified chain and names its device, so the successor is
 * signed immediately, and the recording statement checks everything. Returns `undefined` when nothing was recorded or
 * attempted; the facts then say why a renewal is refused. They do not if the device was locked: then the renewal is
 * recorded after that lock, blocking no other tenant.
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
  // If signing fails, the caller reads the facts: an earlier refusal wins, otherwise the signing error is thrown.
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
