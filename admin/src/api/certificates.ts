import { api, must, type Schemas } from "./client.ts";
import { LIMITS } from "./limits.ts";
import { type QueryOf, read } from "./read.ts";

export const CERTIFICATES = "/api/admin/certificates";
export type Certificate = Schemas["DeviceCertificate"];
export type CertificateDetail = Schemas["DeviceCertificateDetail"];
export type Bundle = Schemas["DeviceCertificateBundle"];
export type CertificatesQuery = QueryOf<typeof CERTIFICATES>;
/** Enough for the few live certificates of a device and those of earlier years. */
const MOST_OF_DEVICE = 200;
/** The number of live bundles that a device may have. */
export const BUNDLES_OF_DEVICE = LIMITS.bundlesOfDevice;

export const certificatesQuery = (query: CertificatesQuery) => read(CERTIFICATES, { query });
export const certificatesOfDeviceQuery = (deviceId: string) => certificatesQuery({ deviceId, limit: MOST_OF_DEVICE });
export const certificateQuery = (id: string) => read(`${CERTIFICATES}/{id}`, { path: { id } });
export const chainQuery = (id: string) => read(`${CERTIFICATES}/{id}/chain`, { path: { id } });
/** The live bundles of a device, of which it may have {@link BUNDLES_OF_DEVICE}. */
export const liveBundlesQuery = (deviceId: string) =>
  certificatesQuery({ deviceId, kind: "platform", state: "live", limit: 10 });

/** @param override issue although the device has a live certificate that it enrolled itself */
export const issueCertificate = (deviceId: string, override: boolean) =>
  must(api.POST(CERTIFICATES, { body: { deviceId, ...(override && { acknowledgeSelfEnrollmentOverride: true }) } }));
/** Revokes every live certificate of a device and closes its sessions. */
export const revokeCertificatesOfDevice = (id: string) =>
  must(api.DELETE("/api/admin/devices/{id}/certificates", { params: { path: { id } } }));
/** @param chain also revoke the certificates by which renewals have replaced it */
export const revokeCertificate = (id: string, chain: boolean) =>
  must(api.DELETE(`${CERTIFICATES}/{id}`, { params: { path: { id }, query: chain ? { chain: "true" } : {} } }));
