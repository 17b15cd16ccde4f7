import { findIdentityProblem, fingerprintOf } from "../certificates/certificates.ts";
import { resolveTopics } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { type CsrResult, selfEnrolled } from "../pki/pki.ts";
import { answeredTopics } from "./answered-topics.ts";
import { countOutcomes } from "./count-outcomes.ts";
import type { EnrollmentDeps } from "./deps.ts";
import { keyBlocked, refusal } from "./errors.ts";
import { readCsrOrError } from "./read-csr.ts";
import type { DevicePeer } from "./redemption/redemption.ts";
import { commitRenewal, type RenewalFacts, readRenewalFacts } from "./renewal-store.ts";
import { signLeaf } from "./sign-leaf.ts";

/** Spec 2.3; flat (docs/spec-decisions.md); times are ISO 8601 in UTC. */
export interface RenewalAnswer {
  clientCert: string;
  clientCertChain: string;
  serverCaBundle: string;
  certExpiresAt: string;
  renewAfterUtc: string;
  /** The topics of the new certificate: the device's type may have changed since the last issuance (docs/spec-decisions.md). */
  publishTopics: string[];
  /** Only where the device type lists any. */
  subscribeTopics?: string[];
}

/**
 * Renews the certificate that a device presents (spec 3.2, 4.9): any active one, also a bundle's; the new one is self-enrolled. The
 * replaced certificate is revoked, but its open session stays until the device reconnects.
 *
 * @throws MusterError cert_invalid, invalid_csr, issuance_failed
 */
export const renewCertificate = countOutcomes(
  "renew",
  async (deps, { peer }: DevicePeer, { csr: csrPem }: { csr: string }): Promise<RenewalAnswer> => {
    if (!peer?.verified) throw refusal("cert_invalid");
    const now = deps.clock.now();
    const csr = readCsrOrError(csrPem);
    const spkiSha256 = csr instanceof Error ? undefined : csr.spkiSha256;
    const facts = await readRenewalFacts(deps.database.db, fingerprintOf(peer), spkiSha256);
    if (facts === undefined || findIdentityProblem(peer, facts, now) !== undefined) throw refusal("cert_invalid");
    if (csr instanceof Error) throw csr;
    if (facts.keyBlocked) throw keyBlocked();
    return await renew(deps, facts, csr, now);
  },
);

async function renew(deps: EnrollmentDeps, facts: RenewalFacts, csr: CsrResult, now: Date): Promise<RenewalAnswer> {
  const { deviceId, tenantSlug } = facts;
  const { leaf, chainPem } = await signLeaf(deps, { profile: selfEnrolled, deviceId, spki: csr.spki, now });
  const actor = `device:${deviceId}`;
  const topics = {
    publishTopics: resolveTopics(facts.publishTemplates, tenantSlug, deviceId),
    subscribeTopics: resolveTopics(facts.subscribeTemplates, tenantSlug, deviceId),
  };
  await faultPoint("renew.commit");
  const outcome = await commitRenewal(deps.database.db, {
    certificateId: facts.certificateId,
    deviceUid: facts.deviceUid,
    actor,
    issued: {
      id: deps.ids.uuid(now),
      kind: "self_enrolled",
      leaf,
      spkiSha256: csr.spkiSha256,
      ...topics,
      issuedBy: actor,
      claimId: null,
    },
    auditId: deps.ids.uuid(now),
    now,
  });
  await faultPoint("renew.committed");
  if (outcome === "key_blocked") throw keyBlocked();
  if (outcome === "not_live") throw refusal("cert_invalid");
  return {
    clientCert: leaf.pem,
    clientCertChain: chainPem,
    serverCaBundle: deps.authorities.serverCaBundlePem(),
    certExpiresAt: leaf.notAfter.toISOString(),
    renewAfterUtc: (leaf.renewAfter ?? leaf.notAfter).toISOString(),
    ...answeredTopics(topics),
  };
}
