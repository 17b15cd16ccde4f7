import type { CertificatesDeps } from "./deps.ts";
import { fingerprintOf, type IdentityProblem, identityProblem, type PeerCertificate } from "./identity.ts";
import { findIdentity } from "./identity-store.ts";

export interface IdentifiedDevice {
  ok: true;
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantId: string;
  tenantSlug: string;
  serialNumber: string;
  publishTopics: string[];
  subscribeTopics: string[];
}

/** A peer that is not believed; whose it would have been is for the journal only. */
export interface UnidentifiedPeer {
  ok: false;
  reason: IdentityProblem;
  tenantId?: string;
  deviceId?: string;
  serialNumber?: string;
}

/**
 * Who a peer is, by its certificate and the books alone (spec 4.10). Runs on the share of connections kept for connects.
 * Whether the client id fits is the broker's question.
 *
 * @throws only when the database cannot answer: then nobody is anybody (reliability.md, fail closed)
 */
export async function identifyDevice(
  deps: CertificatesDeps,
  peer: PeerCertificate,
): Promise<IdentifiedDevice | UnidentifiedPeer> {
  const recorded = await findIdentity(deps.database.connects, fingerprintOf(peer));
  const reason = identityProblem(peer, recorded, deps.clock.now());
  if (recorded === undefined) return { ok: false, reason: reason ?? "unknown" };
  const { notAfter, revokedAt, deviceDeletedAt, ...identity } = recorded;
  if (reason === undefined) return { ok: true, ...identity };
  const { tenantId, deviceId, serialNumber } = identity;
  return { ok: false, reason, tenantId, deviceId, serialNumber };
}
