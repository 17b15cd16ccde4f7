import { z } from "zod";
import { certificateUseCases } from "../../certificates/certificates.ts";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { records } from "../../lib/limits/records.ts";
import { CERTIFICATE_KIND } from "../named-shapes.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, instant, longPage, paging, pathId, timestamp } from "../shapes.ts";
import { BUNDLE_EXAMPLE, BUNDLE_REQUEST_EXAMPLE, CERTIFICATE_EXAMPLE, PEM } from "../v1/device-certificate-examples.ts";
import { BUNDLE_ERRORS, bundle, bundleRequest, certificateRecord } from "../v1/device-certificates.ts";
import { AUTHORITY_EXAMPLE, authorityStatus } from "./shapes/authority-shapes.ts";

const TAG = "Device certificates";

const successor = z
  .strictObject({ id, serialNumber: z.string(), expiresAt: timestamp })
  .meta({ id: "LiveSuccessor", description: "The live certificate that replaced this one by renewal" });

const certificateDetail = certificateRecord
  .extend({
    pem: z.string().meta({ description: "The leaf alone, without its chain" }),
    session: z
      .strictObject({ connectedAt: timestamp, remoteAddress: z.string() })
      .nullable()
      .meta({ description: "The open session that uses it, which its revocation closes" }),
    otherLiveCertificates: z.int().meta({ description: "Other live certificates of its device" }),
    liveSuccessor: successor.nullable(),
  })
  .meta({ id: "DeviceCertificateDetail" });

const authority = authorityStatus.extend({ pem: z.string() }).meta({ id: "IssuingAuthority" });

const chain = z
  .strictObject({
    certificateId: id,
    fullchainPem: z.string().meta({ description: "The leaf and its intermediate, as a client must present them" }),
    issuers: z
      .array(authority)
      .meta({ description: "From the intermediate that issued the leaf to its root, including retired ones" }),
  })
  .meta({ id: "DeviceCertificateChain" });

const revoked = z
  .strictObject({
    revoked: z
      .array(id)
      .meta({ description: "The certificates revoked by this request; empty if it was already revoked" }),
    liveSuccessor: successor
      .nullable()
      .meta({ description: "The certificate that the device continues with, unless it was revoked as well" }),
  })
  .meta({ id: "Revocation" });

const revokedOfDevice = z
  .strictObject({ revoked: z.array(id).meta({ description: "The certificates revoked by this request" }) })
  .meta({ id: "RevocationOfDevice" });

const SUCCESSOR_EXAMPLE = {
  id: "0199c1d1-2222-7a11-9c22-5e6f7a8b9c0d",
  serialNumber: "1a0c9a5be7d14c2e8a6b1d0f4e5c7a93",
  expiresAt: "2026-12-20T10:00:00.000Z",
};

const STATE = z.enum(["live", "expiring", "expired", "revoked"]);

export const listCertificates = adminRoute({
  useCase: certificateUseCases.listCertificates,
  operationId: "listCertificates",
  csv: "certificates",
  method: "GET",
  path: "/api/admin/certificates",
  tag: TAG,
  summary: "List certificates",
  description:
    "Certificates of the devices that the caller can see, newest first or by expiry. Sorting by expiry omits revoked ones.",
  query: z.strictObject({
    deviceId: id.optional(),
    kind: CERTIFICATE_KIND.optional(),
    notKind: CERTIFICATE_KIND.optional(),
    state: STATE.optional().meta({
      description:
        "`live` means neither revoked nor expired; `expiring` means a live platform certificate that expires within 30 days",
    }),
    notState: STATE.optional(),
    expiresFrom: instant.optional().meta({ description: "Not revoked, and expires or expired at this time or later" }),
    expiresBefore: instant.optional().meta({ description: "Not revoked, and expires or expired before this" }),
    sort: z.enum(["newest", "expiry"]).optional(),
    ...paging(50, 200),
  }),
  status: 200,
  response: longPage(certificateRecord),
  errors: [],
  examples: { response: { items: [CERTIFICATE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listCertificates) =>
    listCertificates(caller, { ...query, countAhead: records.countedAhead.value }),
});

export const showCertificate = adminRoute({
  useCase: certificateUseCases.showCertificate,
  operationId: "getCertificate",
  method: "GET",
  path: "/api/admin/certificates/{id}",
  tag: TAG,
  summary: "Show a certificate",
  description:
    "The certificate with its PEM, its open session and the device's other live certificates, which together show the effect of a revocation.",
  params: idParams,
  status: 200,
  response: certificateDetail,
  errors: ["certificate_not_found"],
  examples: {
    response: {
      ...CERTIFICATE_EXAMPLE,
      pem: PEM,
      session: { connectedAt: "2026-11-20T10:05:00.000Z", remoteAddress: "203.0.113.7" },
      otherLiveCertificates: 1,
      liveSuccessor: null,
    },
  },
  handler: (caller, { params }, showCertificate) => showCertificate(caller, params.id),
});

export const showCertificateChain = adminRoute({
  useCase: enrollmentUseCases.showCertificateChain,
  operationId: "getCertificateChain",
  method: "GET",
  path: "/api/admin/certificates/{id}/chain",
  tag: TAG,
  summary: "Show a certificate's chain",
  description:
    "The chain that a client presents, and the authorities that verify it. A client that presents only the leaf is refused.",
  params: idParams,
  status: 200,
  response: chain,
  errors: ["certificate_not_found"],
  examples: {
    response: {
      certificateId: CERTIFICATE_EXAMPLE.id,
      fullchainPem: PEM + PEM,
      issuers: [{ ...AUTHORITY_EXAMPLE, pem: PEM }],
    },
  },
  handler: (caller, { params }, showCertificateChain) => showCertificateChain(caller, params.id),
});

export const issueCertificate = adminRoute({
  useCase: enrollmentUseCases.issueBundle,
  operationId: "issueCertificate",
  method: "POST",
  path: "/api/admin/certificates",
  tag: TAG,
  summary: "Issue a certificate bundle",
  description:
    "Issues a certificate with its private key for a device that cannot create its own, valid for one year. Key and passphrase are shown only in this answer. Issuing never revokes another certificate.",
  body: bundleRequest,
  status: 201,
  response: bundle,
  errors: BUNDLE_ERRORS,
  examples: { body: BUNDLE_REQUEST_EXAMPLE, response: BUNDLE_EXAMPLE },
  secret: true,
  handler: (caller, { body }, issueBundle) => issueBundle(caller, body),
});

export const revokeCertificate = adminRoute({
  useCase: enrollmentUseCases.revokeCertificate,
  operationId: "revokeCertificate",
  method: "DELETE",
  path: "/api/admin/certificates/{id}",
  tag: TAG,
  summary: "Revoke a certificate",
  description:
    "Revokes the certificate and closes its open sessions before answering; other certificates of the device stay valid. May be repeated.",
  params: idParams,
  query: z.strictObject({
    chain: z
      .enum(["true", "false"])
      .optional()
      .meta({ description: "Also revokes the certificates that replaced it by renewal" }),
  }),
  status: 200,
  response: revoked,
  errors: ["certificate_not_found"],
  examples: { response: { revoked: [CERTIFICATE_EXAMPLE.id], liveSuccessor: SUCCESSOR_EXAMPLE } },
  handler: async (caller, { params, query }, revokeCertificate) => {
    const { revoked, liveSuccessor: live } = await revokeCertificate(caller, params.id, {
      chain: query.chain === "true",
    });
    const { id, serialNumber, expiresAt } = live ?? {};
    return { revoked, liveSuccessor: live ? { id, serialNumber, expiresAt } : null };
  },
});

export const revokeDeviceCertificates = adminRoute({
  useCase: enrollmentUseCases.revokeDeviceCertificates,
  operationId: "revokeCertificatesOfDevice",
  method: "DELETE",
  path: "/api/admin/devices/{id}/certificates",
  tag: TAG,
  summary: "Revoke all certificates of a device",
  description:
    "Revokes every live certificate of the device and closes its sessions before answering. May be repeated.",
  params: z.strictObject({ id: pathId.meta({ description: "The device's id" }) }),
  status: 200,
  response: revokedOfDevice,
  errors: ["device_not_found"],
  examples: { response: { revoked: [CERTIFICATE_EXAMPLE.id] } },
  handler: (caller, { params }, revokeDeviceCertificates) => revokeDeviceCertificates(caller, params.id),
});
