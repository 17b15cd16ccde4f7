import { z } from "zod";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { records } from "../../lib/limits/records.ts";
import { deviceRoute } from "../route.ts";
import { id, timestamp } from "../shapes.ts";

/** An optional text; `null` means absent, because firmware often cannot omit a field. */
const optionalText = z
  .string()
  .max(records.reportedCharacters.value)
  .nullish()
  .transform((text) => text ?? undefined);

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n";

/** Spec 2.2, 2.3, 4.9. Unknown fields are ignored: firmware may be newer than the server. */
export const redeemClaim = deviceRoute({
  service: enrollmentUseCases.redeemClaim,
  operationId: "redeemClaim",
  method: "POST",
  path: "/api/provisioning/claim",
  tag: "Provisioning",
  summary: "Redeem a claim code for a certificate",
  description:
    "A device sends its claim code and a signing request for a key it generated itself, and gets its identity. A device that has enrolled before must present its valid certificate over mTLS.",
  body: z
    .object({
      claimCode: z.string().meta({ description: "The one-time code, `CLAIM-XXXX-XXXX-XXXX`" }),
      hardwareFingerprint: z
        .string()
        .trim()
        .min(1)
        .max(records.reportedCharacters.value)
        .meta({ description: "Serial number or MAC address" }),
      hardwareModel: z.string().trim().min(1).max(records.reportedCharacters.value),
      agentVersion: z.string().trim().min(1).max(records.reportedCharacters.value),
      csr: z.string().meta({ description: "PEM, EC P-256; its subject is ignored" }),
      agentCapabilities: z
        .array(z.string().max(records.reportedCharacters.value))
        .max(records.capabilitiesOfDevice.value)
        .nullish()
        .transform((list) => list ?? undefined),
      reportedMacAddress: optionalText,
    })
    .meta({ id: "Redemption" }),
  status: 200,
  response: z
    .strictObject({
      deviceId: id,
      mqtt: z.strictObject({
        brokerUrl: z.string(),
        clientCert: z.string(),
        clientCertChain: z.string(),
        serverCaBundle: z.string(),
        topicPrefix: z.string(),
        publishTopics: z.array(z.string()),
        subscribeTopics: z.array(z.string()).optional().meta({
          description: "The exact topics on which the device may receive messages; only if its type lists any",
        }),
      }),
      certExpiresAt: timestamp,
      renewAfterUtc: timestamp,
      renewalEndpoint: z.string(),
    })
    .meta({ id: "Enrollment" }),
  errors: [
    "invalid_claim_request",
    "invalid_claim_code",
    "claim_revoked",
    "claim_expired",
    "claim_exhausted",
    "invalid_csr",
    "reenrollment_proof_required",
    "client_id_in_use",
    "quota_exceeded",
    "issuance_failed",
  ],
  examples: {
    body: {
      claimCode: "CLAIM-4T9M-W2XA-7KQ2",
      hardwareFingerprint: "SN-40012",
      hardwareModel: "PG-200",
      agentVersion: "2.4.1",
      csr: "-----BEGIN CERTIFICATE REQUEST-----\nMIHI…\n-----END CERTIFICATE REQUEST-----\n",
      agentCapabilities: ["renewal"],
    },
    response: {
      deviceId: "k3vq7xw2n5tbhz4m",
      mqtt: {
        brokerUrl: "mqtts://muster.example:8883",
        clientCert: PEM,
        clientCertChain: PEM,
        serverCaBundle: PEM,
        topicPrefix: "t/acme",
        publishTopics: ["t/acme/telemetry/k3vq7xw2n5tbhz4m"],
      },
      certExpiresAt: "2026-12-20T10:00:00.000Z",
      renewAfterUtc: "2026-12-11T10:00:00.000Z",
      renewalEndpoint: "/api/provisioning/cert/renew",
    },
  },
  handler: (contact, { body }, redeemClaim) => redeemClaim(contact, body),
});
