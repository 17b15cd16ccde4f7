import { api, must, type Schemas } from "./client.ts";
import { read } from "./read.ts";

export const AUDIT_STREAM = "/api/admin/audit/stream";
export type AuditStream = NonNullable<Schemas["AuditStreamState"]["stream"]>;

export const auditStreamQuery = read(AUDIT_STREAM);
export const setAuditStream = (body: Schemas["AuditStreamEdit"]) => must(api.PUT("/api/admin/audit/stream", { body }));
export const deleteAuditStream = () => must(api.DELETE("/api/admin/audit/stream"));
