import { z } from "zod";
import { certificateUseCases } from "../../certificates/certificates.ts";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { CERTIFICATE_EVENT, CERTIFICATE_KIND, CERTIFICATE_STATUS, REVOCATION_REASON } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, instant, nullableTimestamp, page, paging, timestamp } from "../shapes.ts";
import {
  AUDIT_EXAMPLE,
  BUNDLE_EXAMPLE,
  BUNDLE_REQUEST_EXAMPLE,
  CERTIFICATE_EXAMPLE,
} from "./device-certificate-examples.ts";

const TAG = "Device certificates";

export const certificateRecord = z
  .strictObject({
    id,
    deviceId: id,
    kind: CERTIFICATE_KIND,
    status: CERTIFICATE_STATUS,
    expired: z.boolean(),
    serialNumber: z.string(),
    fingerprintSha256: z.string(),
    subject: z.string(),
    publishTopics: z.array(z.string()),
    issuedAt: timestamp,
    notBefore: timestamp,
    expiresAt: timestamp,
    renewAfterUtc: nullableTimestamp,
    expiringSoon: z.boolean(),
    issuedBy: z.string(),
    revokedAt: nullableTimestamp,
    revokedBy: z.string().nullable(),
    revocationReason: REVOCATION_REASON.nullable(),
    supersededById: id.nullable(),
    lastConnectedAt: nullableTimestamp,
    connected: z.boolean(),
  })
  .meta({ id: "DeviceCertificate" });

export const auditEntry = z
  .strictObject({
    id,
    kind: CERTIFICATE_EVENT,
    at: timestamp,
    actor: z.string().meta({ description: "`apikey:<id>`, `claim:<id>`, `device:<id>`, `user:<id>` or `system`" }),
    deviceId: id,
    certificateId: id,
    serialNumber: z.string(),
    previousSerialNumber: z.string().optional().meta({ description: "Renewals only" }),
    fingerprintSha256: z.string(),
  })
  .meta({ id: "DeviceCertificateAuditEntry" });

export const bundle = z
  .strictObject({
    id,
    deviceId: id,
    serialNumber: z.string(),
    fingerprintSha256: z.string(),
    certExpiresAt: timestamp,
    publishTopics: z.array(z.string()),
    privateKeyPem: z.string().meta({ description: "The private key, shown only in this answer; it is not stored" }),
    clientCertPem: z.string(),
    clientCertChainPem: z.string().meta({ description: "The chain to present with the leaf" }),
    serverCaBundlePem: z.string().meta({ description: "The trust anchors that verify the broker" }),
    pkcs12Base64: z.string().meta({ description: "Key, leaf and chain as PKCS#12" }),
    pkcs12Passphrase: z.string().meta({ description: "The passphrase, shown only in this answer; it is not stored" }),
  })
  .meta({ id: "DeviceCertificateBundle" });

export const bundleRequest = z
  .strictObject({
    deviceId: z.string().min(1).max(128),
    acknowledgeSelfEnrollmentOverride: z
      .boolean()
      .optional()
      .meta({ description: "Issue even if the device has an active self-enrolled certificate" }),
  })
  .meta({ id: "DeviceCertificateCreate" });

/** The codes with which an issuance is refused. */
export const BUNDLE_ERRORS = [
  "device_not_found",
  "device_cert_cap_reached",
  "client_id_in_use",
  "device_self_enrolled",
  "issuance_failed",
] as const;

export const listCertificates = publicRoute({
  useCase: certificateUseCases.listCertificates,
  operationId: "listDeviceCertificates",
  method: "GET",
  path: "/api/v1/device-certificates",
  tag: TAG,
  summary: "List device certificates",
  description: "Metadata of the tenant's certificates, newest first; never a private key.",
  query: z.strictObject({
    deviceId: id.optional(),
    status: CERTIFICATE_STATUS.optional().meta({
      description: "`active` means not revoked, including expired; all if absent",
    }),
    expiresFrom: instant.optional().meta({ description: "Not revoked, and expires or expired at this or later" }),
    expiresBefore: instant.optional().meta({ description: "Not revoked, and expires or expired before this" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: page(certificateRecord),
  errors: [],
  examples: { response: { items: [CERTIFICATE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listCertificates) => listCertificates(caller, query),
});

export const listCertificateAudit = publicRoute({
  useCase: certificateUseCases.listCertificateAudit,
  operationId: "listDeviceCertificateAudit",
  method: "GET",
  path: "/api/v1/device-certificates/audit",
  tag: TAG,
  summary: "List the certificate audit",
  description: "Records of who minted, enrolled, renewed or revoked which certificate, newest first.",
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: page(auditEntry),
  errors: [],
  examples: { response: { items: [AUDIT_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listCertificateAudit) => listCertificateAudit(caller, query),
});

export const issueBundle = publicRoute({
  useCase: enrollmentUseCases.issueBundle,
  operationId: "issueDeviceCertificate",
  method: "POST",
  path: "/api/v1/device-certificates",
  tag: TAG,
  summary: "Issue a certificate bundle",
  description:
    "Issues a certificate with its private key for a device that cannot create its own, valid for one year. Issuing never revokes another certificate.",
  body: bundleRequest,
  status: 201,
  response: bundle,
  errors: BUNDLE_ERRORS,
  examples: { body: BUNDLE_REQUEST_EXAMPLE, response: BUNDLE_EXAMPLE },
  secret: true,
  handler: (caller, { body }, issueBundle) => issueBundle(caller, body),
});

export const revokeCertificate = publicRoute({
  useCase: enrollmentUseCases.revokeCertificate,
  operationId: "revokeDeviceCertificate",
  method: "DELETE",
  path: "/api/v1/device-certificates/{id}",
  tag: TAG,
  summary: "Revoke a device certificate",
  description:
    "Revokes the certificate and closes its open sessions before answering; other certificates of the device stay valid. May be repeated.",
  params: idParams,
  status: 204,
  errors: ["certificate_not_found"],
  examples: {},
  handler: async (caller, { params }, revokeCertificate) => {
    await revokeCertificate(caller, params.id);
  },
});
