import { common } from "#texts/common.ts";
import { t } from "#texts/words.ts";
import type { Tone } from "../ui/theme/tones.ts";

/** The origins of certificates. */
export const CERTIFICATE_KINDS = { self_enrolled: t.selfEnrolled, platform: t.bundle } as const;

export const REVOCATION_REASONS: Readonly<Record<string, string>> = {
  superseded: t.replacedByRenewal,
  requested: common.revoked,
  device_deleted: t.deviceDeleted,
};

interface Certificate {
  status: "active" | "revoked";
  expired: boolean;
  connected: boolean;
  expiringSoon: boolean;
  revocationReason: string | null;
}

export function stateOfCertificate(certificate: Certificate): readonly [tone: Tone, label: string] {
  if (certificate.status === "revoked")
    return ["bad", REVOCATION_REASONS[certificate.revocationReason ?? ""] ?? common.revoked];
  if (certificate.expired) return ["bad", t.expired];
  if (certificate.expiringSoon) return ["warn", t.expiresSoon];
  return certificate.connected ? ["good", t.validConnected] : ["good", t.valid];
}
