import { type AdminAct, listActs } from "../audit/audit.ts";
import type { PageRequest } from "../lib/page.ts";
import type { AccessDeps } from "./deps.ts";
import { useCase } from "./use-case.ts";

/** The administrative audit of the tenant, newest first. */
export const listAdminActs = useCase(
  { role: "admin" },
  (deps: AccessDeps, caller, page: PageRequest): Promise<AdminAct[]> =>
    listActs(deps.database.db, caller.tenantId, page),
);

/** The acts on the whole installation: certificate authorities, blocked keys, the master key. For the shell. */
export function listInstallationActs(deps: AccessDeps, page: PageRequest): Promise<AdminAct[]> {
  return listActs(deps.database.db, null, page);
}
