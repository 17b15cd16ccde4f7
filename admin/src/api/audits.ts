import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import type { paths } from "./generated/admin.ts";
import { filled, keyOf } from "./queries.ts";

export const ADMIN_AUDIT = "/api/admin/audit/admin";
export const API_AUDIT = "/api/admin/audit/api";
export const CERTIFICATE_AUDIT = "/api/admin/audit/certificates";

export type AdminAct = Schemas["AdminAct"];
export type ApiWrite = Schemas["ApiWrite"];
export type CertificateEntry = Schemas["DeviceCertificateAuditEntry"];

type Fields<Path extends keyof paths> = paths[Path]["get"] extends { parameters: { query?: infer Query } }
  ? { [Name in keyof Query]?: Query[Name] | undefined }
  : never;
export type AdminQuery = Fields<typeof ADMIN_AUDIT>;
export type ApiQuery = Fields<typeof API_AUDIT>;
export type CertificateQuery = Fields<typeof CERTIFICATE_AUDIT>;

export const adminAuditQuery = (query: AdminQuery) =>
  queryOptions({
    queryKey: keyOf(ADMIN_AUDIT, query),
    queryFn: ({ signal }) => must(api.GET(ADMIN_AUDIT, { params: { query: filled(query) as never }, signal })),
  });

export const apiAuditQuery = (query: ApiQuery) =>
  queryOptions({
    queryKey: keyOf(API_AUDIT, query),
    queryFn: ({ signal }) => must(api.GET(API_AUDIT, { params: { query: filled(query) as never }, signal })),
  });

export const certificateAuditQuery = (query: CertificateQuery) =>
  queryOptions({
    queryKey: keyOf(CERTIFICATE_AUDIT, query),
    queryFn: ({ signal }) => must(api.GET(CERTIFICATE_AUDIT, { params: { query: filled(query) as never }, signal })),
  });
