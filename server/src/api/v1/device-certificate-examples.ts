const SERIAL = "3f0c9a5be7d14c2e8a6b1d0f4e5c7a92";
const FINGERPRINT = "9b1f4f0f7c2f5f6d1b1f1c0a8e5d4c3b2a1908f7e6d5c4b3a291807f6e5d4c3b";
export const PEM = "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n";

/** The example shown in the OpenAPI document. */
export const CERTIFICATE_EXAMPLE = {
  id: "0199c1c6-2222-7a11-9c22-5e6f7a8b9c0d",
  deviceId: "pump-1",
  kind: "platform",
  status: "active",
  expired: false,
  serialNumber: SERIAL,
  fingerprintSha256: FINGERPRINT,
  subject: `CN=pump-1, serialNumber=${SERIAL}`,
  publishTopics: ["t/acme/telemetry/pump-1"],
  issuedAt: "2026-11-20T10:00:00.000Z",
  notBefore: "2026-11-20T09:55:00.000Z",
  expiresAt: "2027-11-20T10:00:00.000Z",
  renewAfterUtc: null,
  expiringSoon: false,
  issuedBy: "apikey:4fGh7Kp2",
  revokedAt: null,
  revokedBy: null,
  revocationReason: null,
  supersededById: null,
  lastConnectedAt: "2026-11-20T10:05:00.000Z",
  connected: true,
};

export const AUDIT_EXAMPLE = {
  id: "0199c1c7-3333-7a11-9c22-5e6f7a8b9c0d",
  kind: "device_cert_minted",
  at: "2026-11-20T10:00:00.000Z",
  actor: "apikey:4fGh7Kp2",
  deviceId: "pump-1",
  certificateId: CERTIFICATE_EXAMPLE.id,
  serialNumber: SERIAL,
  fingerprintSha256: FINGERPRINT,
};

export const BUNDLE_EXAMPLE = {
  id: CERTIFICATE_EXAMPLE.id,
  deviceId: "pump-1",
  serialNumber: SERIAL,
  fingerprintSha256: FINGERPRINT,
  certExpiresAt: "2027-11-20T10:00:00.000Z",
  publishTopics: ["t/acme/telemetry/pump-1"],
  privateKeyPem: "-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n",
  clientCertPem: PEM,
  clientCertChainPem: PEM,
  serverCaBundlePem: PEM,
  pkcs12Base64: "MIIF…",
  pkcs12Passphrase: "fKq7-Rm2x-Vt9c-Lp4w",
};

export const BUNDLE_REQUEST_EXAMPLE = { deviceId: "pump-1", acknowledgeSelfEnrollmentOverride: false };
