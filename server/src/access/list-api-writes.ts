import { type ApiWrite, listApiWrites as listOfTenant, type WriteQuery } from "../audit/audit.ts";
import type { Page } from "../lib/page.ts";
import type { AccessDeps } from "./deps.ts";
import { useCase } from "./use-case.ts";

/** Lists the API audit log of the tenant, newest first (docs/spec-decisions.md, API audit log). */
export const listApiWrites = useCase(
  { scope: "audit:read", role: "admin" },
  (deps: AccessDeps, caller, query: WriteQuery): Promise<Page<ApiWrite>> =>
    listOfTenant(deps.database.db, caller.tenantId, query),
);
