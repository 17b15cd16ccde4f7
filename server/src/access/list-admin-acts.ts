import { type ActQuery, type AdminAct, listActs, listInstallationActs as listOfInstallation } from "../audit/audit.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import type { AccessDeps } from "./deps.ts";
import { useCase } from "./use-case.ts";

/** Lists the administrative audit of the tenant, newest first. */
export const listAdminActs = useCase(
  { scope: "audit:read", role: "admin" },
  (deps: AccessDeps, caller, query: ActQuery): Promise<Page<AdminAct>> =>
    listActs(deps.database.db, caller.tenantId, query),
);

/** Lists the acts on the whole installation, for the shell: certificate authorities, blocked keys, the master key. */
export function listInstallationActs(deps: AccessDeps, page: PageRequest): Promise<AdminAct[]> {
  return listOfInstallation(deps.database.db, page);
}
