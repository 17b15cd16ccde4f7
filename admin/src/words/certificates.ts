import type { Tone } from "../ui/theme/tones.ts";

/** The origins of certificates. */
export const CERTIFICATE_KINDS = { self_enrolled: "Self-enrolled", platform: "Bundle" } as const;

export const REVOCATION_REASONS: Readonly<Record<string, string>> = {
  superseded: "Replaced by renewal",
  requested: "Revoked",
  device_deleted: "Device deleted",
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
    return ["bad", REVOCATION_REASONS[certificate.revocationReason ?? ""] ?? "Revoked"];
  if (certificate.expired) return ["bad", "Expired"];
  if (certificate.expiringSoon) return ["warn", "Expires soon"];
  return certificate.connected ? ["good", "Valid, connected"] : ["good", "Valid"];
}
