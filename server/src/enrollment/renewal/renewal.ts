import { faultPoint } from "../../lib/fault-points.ts";
import { type CsrResult, selfEnrolled } from "../../pki/pki.ts";
import { answeredTopics } from "../answered-topics.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { type SignedLeaf, signLeaf } from "../sign-leaf.ts";
import type { NotRenewed } from "./renewal-store.ts";

/** The response to a renewal (spec 2.3), flat (docs/spec-decisions.md); times are ISO 8601 in UTC. */
export interface RenewalAnswer {
  clientCert: string;
  clientCertChain: string;
  serverCaBundle: string;
  certExpiresAt: string;
  renewAfterUtc: string;
  /**
   * The topics of the new certificate: the device's type may have changed since the last issuance
   * (docs/spec-decisions.md).
   */
  publishTopics: string[];
  /** Present only if the device type lists any. */
  subscribeTopics?: string[];
}

/** A renewal with a valid CSR. */
export interface Renewal {
  /** SHA-256 of the presented certificate, lower-case hex. */
  readonly fingerprint: string;
  readonly csr: CsrResult;
  readonly now: Date;
  /** Signs the successor, only once per device. @throws MusterError issuance_failed */
  sign(deviceId: string): Promise<SignedLeaf>;
}

export function newRenewal(deps: EnrollmentDeps, fingerprint: string, csr: CsrResult, now: Date): Renewal {
  const leaves = new Map<string, Promise<SignedLeaf>>();
  const sign = (deviceId: string): Promise<SignedLeaf> => {
    const leaf = leaves.get(deviceId) ?? signLeaf(deps, { profile: selfEnrolled, deviceId, spki: csr.spki, now });
    leaves.set(deviceId, leaf);
    return leaf;
  };
  return { fingerprint, csr, now, sign };
}

/**
 * Records a successor with a leaf signed for `deviceId`, if the presented certificate is that device's and live.
 *
 * @param way `tenantId` of the device or, while it is unknown, the deadline `until` by the clock of the database
 */
export async function recordRenewal(
  deps: EnrollmentDeps,
  { fingerprint, csr, now }: Renewal,
  deviceId: string,
  { leaf, chainPem }: SignedLeaf,
  way: { tenantId: string } | { until: Date },
): Promise<RenewalAnswer | NotRenewed> {
  const issued = {
    id: deps.ids.uuid(now),
    kind: "self_enrolled" as const,
    leaf,
    spkiSha256: csr.spkiSha256,
  };
  await faultPoint("renew.commit");
  const auditId = deps.ids.uuid(now);
  const signed = { fingerprint, deviceId, issued, auditId, now };
  const outcome = await ("until" in way
    ? deps.renewals.recordAtOnce({ ...signed, until: way.until })
    : deps.renewals.record(way.tenantId, { ...signed, until: null }));
  await faultPoint("renew.committed");
  if (typeof outcome === "string") return outcome;
  return {
    clientCert: leaf.pem,
    clientCertChain: chainPem,
    serverCaBundle: deps.authorities.serverCaBundlePem(),
    certExpiresAt: leaf.notAfter.toISOString(),
    renewAfterUtc: (leaf.renewAfter ?? leaf.notAfter).toISOString(),
    ...answeredTopics(outcome),
  };
}
