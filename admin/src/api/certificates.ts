import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import type { paths } from "./generated/admin.ts";
import { LIMITS } from "./limits.ts";
import { filled, keyOf } from "./queries.ts";

const LIST = "/api/admin/certificates";
export const CERTIFICATES = LIST;
/** A device holds a few live certificates, and those of earlier years. */
const MOST_OF_DEVICE = 200;

export const certificatesOfDeviceQuery = (deviceId: string) =>
  queryOptions({
    queryKey: keyOf(LIST, { deviceId }),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: { deviceId, limit: MOST_OF_DEVICE } }, signal })),
  });

export type Certificate = Schemas["DeviceCertificate"];
export type CertificateDetail = Schemas["DeviceCertificateDetail"];
export type Bundle = Schemas["DeviceCertificateBundle"];
type Fields = NonNullable<paths[typeof LIST]["get"]["parameters"]["query"]>;
export type CertificatesQuery = { [Name in keyof Fields]?: Fields[Name] | undefined };

export const certificatesQuery = (query: CertificatesQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query: filled(query) }, signal })),
  });

export const certificateQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${LIST}/${id}`),
    queryFn: () => must(api.GET(`${LIST}/{id}`, { params: { path: { id } } })),
  });

export const chainQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${LIST}/${id}/chain`),
    queryFn: () => must(api.GET(`${LIST}/{id}/chain`, { params: { path: { id } } })),
  });

/** How many live bundles a device may have. */
export const BUNDLES_OF_DEVICE = LIMITS.bundlesOfDevice;

/** Live bundles of a device: it may have {@link BUNDLES_OF_DEVICE} of them. */
export const liveBundlesQuery = (deviceId: string) =>
  certificatesQuery({ deviceId, kind: "platform", state: "live", limit: 10 });

/** `override`: issue although the device has a live certificate that it enrolled itself. */
export function issueCertificate(deviceId: string, override: boolean) {
  const body = override ? { deviceId, acknowledgeSelfEnrollmentOverride: true } : { deviceId };
  return must(api.POST(LIST, { body }));
}

/** Revokes every live certificate of a device and closes its sessions. */
export function revokeCertificatesOfDevice(id: string) {
  return must(api.DELETE("/api/admin/devices/{id}/certificates", { params: { path: { id } } }));
}

/** `chain`: with the certificates by which renewals have replaced it. */
export function revokeCertificate(id: string, chain: boolean) {
  const query = chain ? { chain: "true" as const } : {};
  return must(api.DELETE(`${LIST}/{id}`, { params: { path: { id }, query } }));
}
