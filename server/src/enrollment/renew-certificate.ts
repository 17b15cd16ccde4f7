import { findIdentityProblem, fingerprintOf } from "../certificates/certificates.ts";
import { resolveTopics } from "../devices/devices.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { selfEnrolled } from "../pki/pki.ts";
import { csrOrRefusal } from "./csr-or-refusal.ts";
import type { Enrolling } from "./deps.ts";
import { refusal } from "./errors.ts";
import type { DevicePeer } from "./redeem-claim.ts";
import { commitRenewal, renewalFacts } from "./renewal-store.ts";
import { signLeaf } from "./sign-leaf.ts";

/** Spec 2.3; flat (docs/spec-decisions.md); times are ISO 8601 in UTC. */
export interface RenewalAnswer {
  clientCert: string;
  clientCertChain: string;
  serverCaBundle: string;
  certExpiresAt: string;
  renewAfterUtc: string;
  /** The exact topics of the new certificate: the device's type may have changed since the last (docs/spec-decisions.md). */
  publishTopics: string[];
}

/**
 * Renews with the device's current certificate (spec 3.2, 4.9): any active one will do, a bundle's too, and what comes out
 * is self-enrolled. The replaced certificate is revoked, but its open session stays until it reconnects.
 *
 * @throws MusterError cert_invalid, invalid_csr, issuance_failed
 */
export async function renewCertificate(
  deps: Enrolling,
  { peer }: DevicePeer,
  { csr: csrPem }: { csr: string },
): Promise<RenewalAnswer> {
  if (!peer?.verified) throw refusal("cert_invalid");
  const now = deps.clock.now();
  const csr = csrOrRefusal(csrPem);
  const spkiSha256 = csr instanceof Error ? undefined : csr.spkiSha256;
  const facts = await renewalFacts(deps.database.db, fingerprintOf(peer), spkiSha256);
  if (facts === undefined || findIdentityProblem(peer, facts, now) !== undefined) throw refusal("cert_invalid");
  if (csr instanceof Error) throw csr;
  if (facts.keyBlocked) throw refusal("invalid_csr", { message: "This key was blocked; make a new one." });

  const { deviceId, tenantSlug } = facts;
  const { leaf, chainPem } = await signLeaf(deps, { profile: selfEnrolled, deviceId, spki: csr.spki, now });
  const actor = `device:${deviceId}`;
  const publishTopics = resolveTopics(facts.publishTemplates, tenantSlug, deviceId);
  await faultPoint("renew.commit");
  const renewed = await commitRenewal(deps.database.db, {
    certificateId: facts.certificateId,
    deviceUid: facts.deviceUid,
    actor,
    issued: {
      id: deps.ids.uuid(now),
      kind: "self_enrolled",
      leaf,
      spkiSha256: csr.spkiSha256,
      publishTopics,
      subscribeTopics: resolveTopics(facts.subscribeTemplates, tenantSlug, deviceId),
      issuedBy: actor,
      claimId: null,
    },
    auditId: deps.ids.uuid(now),
    now,
  });
  await faultPoint("renew.committed");
  if (!renewed) throw refusal("cert_invalid");
  return {
    clientCert: leaf.pem,
    clientCertChain: chainPem,
    serverCaBundle: deps.authorities.serverCaBundlePem(),
    certExpiresAt: leaf.notAfter.toISOString(),
    renewAfterUtc: (leaf.renewAfter ?? leaf.notAfter).toISOString(),
    publishTopics,
  };
}
