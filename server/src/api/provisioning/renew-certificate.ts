import { z } from "zod";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { deviceRoute } from "../route.ts";
import { timestamp } from "../shapes.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n";

/** Spec 2.3, 3.2, 4.9. */
export const renewCertificate = deviceRoute({
  service: enrollmentUseCases.renewCertificate,
  operationId: "renewCertificate",
  method: "POST",
  path: "/api/provisioning/cert/renew",
  tag: "Provisioning",
  summary: "Renew a device's certificate",
  description:
    "A device renews over mTLS with its current valid certificate. The new certificate replaces the presented one, whose open session continues until its next reconnect.",
  body: z
    .object({
      csr: z.string().meta({ description: "PEM, EC P-256, for a new key or the same one" }),
    })
    .meta({ id: "Renewal" }),
  status: 200,
  response: z
    .strictObject({
      clientCert: z.string(),
      clientCertChain: z.string(),
      serverCaBundle: z.string(),
      certExpiresAt: timestamp,
      renewAfterUtc: timestamp,
      publishTopics: z.array(z.string()).meta({
        description: "The exact topics the new certificate authorizes; they follow the present type of the device",
      }),
      subscribeTopics: z.array(z.string()).optional().meta({
        description: "The exact topics on which the device may receive messages; only if its type lists any",
      }),
    })
    .meta({ id: "RenewedCertificate" }),
  errors: ["cert_invalid", "invalid_csr", "issuance_failed"],
  examples: {
    body: { csr: "-----BEGIN CERTIFICATE REQUEST-----\nMIHI…\n-----END CERTIFICATE REQUEST-----\n" },
    response: {
      clientCert: PEM,
      clientCertChain: PEM,
      serverCaBundle: PEM,
      certExpiresAt: "2027-01-10T10:00:00.000Z",
      renewAfterUtc: "2027-01-01T10:00:00.000Z",
      publishTopics: ["t/acme/telemetry/k3v9x2m4p7q8r5t6"],
    },
  },
  handler: (contact, { body }, renewCertificate) => renewCertificate(contact, body),
});
