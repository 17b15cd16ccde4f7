import type { CertificatesDeps } from "./deps.ts";
import { findIdentityProblem, fingerprintOf, type IdentityProblem, type PeerCertificate } from "./identity.ts";
import type { FindIdentity } from "./identity-lookups.ts";

export interface IdentifiedDevice {
  ok: true;
  certificateId: string;
  deviceUid: string;
  deviceId: string;
  tenantId: string;
  tenantSlug: string;
  serialNumber: string;
  /** SHA-256 of the presented certificate. */
  fingerprintSha256: string;
  publishTopics: string[];
  subscribeTopics: string[];
}

/** A refused peer. The device that its certificate names is for the refusal journal only. */
export interface UnidentifiedPeer {
  ok: false;
  reason: IdentityProblem;
  fingerprintSha256: string;
  tenantId?: string;
  deviceId?: string;
  serialNumber?: string;
}

/**
 * Identifies a peer by its certificate and the record alone (spec 4.10); the broker compares the client id. It runs on
 * the database connections reserved for MQTT connects.
 *
 * @throws Error when the database does not answer: no identity is accepted then
 */
export async function identifyDevice(
  deps: Pick<CertificatesDeps, "clock"> & { findIdentity: FindIdentity },
  peer: PeerCertificate,
): Promise<IdentifiedDevice | UnidentifiedPeer> {
  const fingerprintSha256 = fingerprintOf(peer);
  const recorded = await deps.findIdentity(fingerprintSha256);
  const reason = findIdentityProblem(peer, recorded, deps.clock.now());
  if (recorded === undefined) return { ok: false, reason: reason ?? "unknown", fingerprintSha256 };
  const { notAfter, revokedAt, deviceDeletedAt, ...identity } = recorded;
  if (reason === undefined) return { ok: true, ...identity, fingerprintSha256 };
  const { tenantId, deviceId, serialNumber } = identity;
  return { ok: false, reason, fingerprintSha256, tenantId, deviceId, serialNumber };
}
