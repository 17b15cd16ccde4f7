import type { PeerCertificate } from "../../certificates/certificates.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { type CsrResult, selfEnrolled } from "../../pki/pki.ts";
import { answeredTopics, type Topics } from "../answered-topics.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { RENEWAL_ENDPOINT } from "../limits.ts";
import type { HardwareFields, ReportedHardware } from "../reported-hardware.ts";
import { type SignedLeaf, signLeaf } from "../sign-leaf.ts";
import { enrollDevices } from "./first-redemption-store.ts";
import type { NotRecorded } from "./outcome.ts";

/** The origin of a device's request, and the certificate that it presented, if any. */
export interface DevicePeer {
  address: string;
  peer?: PeerCertificate | undefined;
}

/** The input of a redemption (spec 2.2). */
export interface RedemptionRequest extends HardwareFields {
  claimCode: string;
  /** PEM */
  csr: string;
}

/** The response to a redemption (spec 2.3); times are ISO 8601 in UTC. */
export interface RedemptionAnswer {
  deviceId: string;
  mqtt: {
    brokerUrl: string;
    clientCert: string;
    clientCertChain: string;
    serverCaBundle: string;
    topicPrefix: string;
    publishTopics: string[];
    /** Present only if the device type lists any. */
    subscribeTopics?: string[];
  };
  certExpiresAt: string;
  renewAfterUtc: string;
  renewalEndpoint: string;
}

/** A redemption whose request is well-formed. */
export interface Attempt {
  from: DevicePeer;
  reported: ReportedHardware;
  code: string;
  csr: CsrResult | Error;
  now: Date;
}

/** The device that a redemption enrolls if it is new. */
export interface NewDevice {
  uid: string;
  id: string;
  /** Signs its leaf, only once. @throws MusterError issuance_failed */
  sign(spki: Buffer): Promise<SignedLeaf>;
}

export function newDevice(deps: EnrollmentDeps, now: Date): NewDevice {
  const id = deps.ids.deviceId();
  let signed: Promise<SignedLeaf> | undefined;
  return {
    uid: deps.ids.uuid(now),
    id,
    sign: (spki) => (signed ??= signLeaf(deps, { profile: selfEnrolled, deviceId: id, spki, now })),
  };
}

/** The claim of a first redemption. */
export interface RedeemedClaim {
  id: string;
  tenantId: string;
  codeHmac: Buffer;
  /** The deadline for recording, by the clock of the database; without it there is none. */
  until?: Date;
}

/** Records the first redemption of a device with a signed leaf. The cache forgets a claim after its last use. */
export async function enrollNew(
  deps: EnrollmentDeps,
  { reported, now }: Attempt,
  { spkiSha256 }: CsrResult,
  { id: claimId, tenantId, codeHmac, until }: RedeemedClaim,
  { uid, id }: NewDevice,
  signed: SignedLeaf,
): Promise<RedemptionAnswer | NotRecorded> {
  const { leaf } = signed;
  const issued = { id: deps.ids.uuid(now), kind: "self_enrolled" as const, leaf, spkiSha256 };
  const redemption = {
    codeHmac,
    until: until ?? null,
    device: { uid, id },
    reported,
    issued,
    auditId: deps.ids.uuid(now),
    now,
  };
  await faultPoint("redeem.commit");
  const outcome = await deps.quotas.addOne(tenantId, "devices", async (db, quotaRound) => {
    const ready = { ...redemption, quotaRound };
    if (!db.isTransaction) return await deps.firstRedemptions.ask(tenantId, ready);
    return (await enrollDevices(db, tenantId, [ready]))[0]!;
  });
  await faultPoint("redeem.committed");
  if (typeof outcome === "string") return outcome;
  if (outcome.usedUp) deps.knownClaims.forget(claimId);
  return answerOf(deps, id, signed, outcome);
}

export function answerOf(
  deps: EnrollmentDeps,
  deviceId: string,
  { leaf, chainPem }: SignedLeaf,
  { tenantSlug, publishTopics, subscribeTopics }: Topics & { tenantSlug: string },
): RedemptionAnswer {
  return {
    deviceId,
    mqtt: {
      brokerUrl: deps.brokerUrl(),
      clientCert: leaf.pem,
      clientCertChain: chainPem,
      serverCaBundle: deps.authorities.serverCaBundlePem(),
      topicPrefix: `t/${tenantSlug}`,
      ...answeredTopics({ publishTopics, subscribeTopics }),
    },
    certExpiresAt: leaf.notAfter.toISOString(),
    renewAfterUtc: (leaf.renewAfter ?? leaf.notAfter).toISOString(),
    renewalEndpoint: RENEWAL_ENDPOINT,
  };
}
