import { queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "./client.ts";
import type { paths } from "./generated/admin.ts";
import { filled, keyOf } from "./queries.ts";

const ADMIN = "/api/admin/audit/admin";
const API = "/api/admin/audit/api";
const CERTIFICATES = "/api/admin/audit/certificates";

export type AdminAct = Schemas["AdminAct"];
export type ApiWrite = Schemas["ApiWrite"];
export type CertificateEntry = Schemas["DeviceCertificateAuditEntry"];

type Fields<Path extends keyof paths> = paths[Path]["get"] extends { parameters: { query?: infer Query } }
  ? { [Name in keyof Query]?: Query[Name] | undefined }
  : never;
export type AdminQuery = Fields<typeof ADMIN>;
export type ApiQuery = Fields<typeof API>;
export type CertificateQuery = Fields<typeof CERTIFICATES>;

export const adminAuditQuery = (query: AdminQuery) =>
  queryOptions({
    queryKey: keyOf(ADMIN, query),
    queryFn: ({ signal }) => must(api.GET(ADMIN, { params: { query: filled(query) as never }, signal })),
  });

export const apiAuditQuery = (query: ApiQuery) =>
  queryOptions({
    queryKey: keyOf(API, query),
    queryFn: ({ signal }) => must(api.GET(API, { params: { query: filled(query) as never }, signal })),
  });

export const certificateAuditQuery = (query: CertificateQuery) =>
  queryOptions({
    queryKey: keyOf(CERTIFICATES, query),
    queryFn: ({ signal }) => must(api.GET(CERTIFICATES, { params: { query: filled(query) as never }, signal })),
  });
