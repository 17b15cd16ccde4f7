import type { Schemas } from "./client.ts";
import { type QueryOf, read } from "./read.ts";

export const ADMIN_AUDIT = "/api/admin/audit/admin";
export const API_AUDIT = "/api/admin/audit/api";
export const CERTIFICATE_AUDIT = "/api/admin/audit/certificates";
export type AdminAct = Schemas["AdminAct"];
export type ApiWrite = Schemas["ApiWrite"];
export type CertificateEntry = Schemas["DeviceCertificateAuditEntry"];

export const adminAuditQuery = (query: QueryOf<typeof ADMIN_AUDIT>) => read(ADMIN_AUDIT, { query });
export const apiAuditQuery = (query: QueryOf<typeof API_AUDIT>) => read(API_AUDIT, { query });
export const certificateAuditQuery = (query: QueryOf<typeof CERTIFICATE_AUDIT>) => read(CERTIFICATE_AUDIT, { query });
