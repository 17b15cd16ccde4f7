import { findIdentityProblem, fingerprintOf } from "../../certificates/certificates.ts";
import { countOutcomes } from "../count-outcomes.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { keyBlocked, refusal } from "../errors.ts";
import { readCsrOrError } from "../read-csr.ts";
import type { DevicePeer } from "../redemption/enroll-new.ts";
import { renewAtOnce } from "./renew-at-once.ts";
import { newRenewal, type Renewal, type RenewalAnswer, recordRenewal } from "./renewal.ts";
import { type RenewalFacts, readRenewalFacts } from "./renewal-store.ts";

/**
 * Renews the certificate that a device presents (spec 3.2, 4.9). Any active certificate can be renewed, including a
 * bundle's; the new one is self-enrolled. The replaced certificate is revoked, but its open session stays until the
 * device reconnects.
 *
 * @throws MusterError cert_invalid, invalid_csr, issuance_failed
 */
export const renewCertificate = countOutcomes(
  "renew",
  async (deps, { peer }: DevicePeer, { csr: csrPem }: { csr: string }): Promise<RenewalAnswer> => {
    if (!peer?.verified) throw refusal("cert_invalid");
    const now = deps.clock.now();
    const csr = readCsrOrError(csrPem);
    const fingerprint = fingerprintOf(peer);
    const renewal = csr instanceof Error ? undefined : newRenewal(deps, fingerprint, csr, now);
    const atOnce = renewal && (await renewAtOnce(deps, peer, renewal));
    if (atOnce !== undefined) return atOnce;
    const facts = await readRenewalFacts(deps.database.db, fingerprint, renewal?.csr.spkiSha256);
    if (facts === undefined || findIdentityProblem(peer, facts, now) !== undefined) throw refusal("cert_invalid");
    if (renewal === undefined) throw csr;
    if (facts.keyBlocked) throw keyBlocked();
    return await renewByFacts(deps, facts, renewal);
  },
);

async function renewByFacts(
  deps: EnrollmentDeps,
  { tenantId, deviceId }: RenewalFacts,
  renewal: Renewal,
): Promise<RenewalAnswer> {
  const answer = await recordRenewal(deps, renewal, deviceId, await renewal.sign(deviceId), { tenantId });
  if (answer === "key_blocked") throw keyBlocked();
  if (answer === "not_live") throw refusal("cert_invalid");
  return answer;
}
