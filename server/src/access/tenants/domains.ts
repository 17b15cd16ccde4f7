import { parseDomain } from "../../lib/mail/email-address.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import { countDomains, type DomainRow, deleteDomain, insertDomain, listDomainRows } from "./domain-store.ts";
import { lockTenant } from "./tenant-store.ts";

/** A domain of e-mail addresses whose owners sign in at the tenant's identity provider. */
export interface TenantDomain {
  domain: string;
  createdAt: Date;
}

/**
 * Assigns a domain to the caller's tenant. For the shell: whoever runs the installation vouches that the domain is the
 * tenant's.
 *
 * @throws MusterError invalid_request, already_exists when a tenant has the domain
 */
export const addTenantDomain = adminUseCase(
  {},
  "tenant.add-domain",
  async ({ clock, limits }: AccessDeps, { tenantId }, text: string): Promise<PreparedChange<TenantDomain>> => {
    const row = { domain: checkDomain(text), tenant_id: tenantId, created_at: clock.now() };
    return {
      change: async (tx) => {
        await lockTenant(tx, tenantId);
        if ((await countDomains(tx, tenantId)) >= limits.domainsOfTenant)
          throw invalidRequest(`At most ${limits.domainsOfTenant} domains can be assigned: remove one first.`);
        await insertDomain(tx, row);
        return { target: tenantId, after: { domain: row.domain }, result: toRecord(row) };
      },
    };
  },
);

/** Takes a domain from the caller's tenant. For the shell. @throws MusterError invalid_request, not_found */
export const removeTenantDomain = adminUseCase(
  {},
  "tenant.remove-domain",
  async (_deps: AccessDeps, { tenantId }, text: string): Promise<PreparedChange<void>> => {
    const domain = checkDomain(text);
    return {
      change: async (tx) => {
        if (!(await deleteDomain(tx, tenantId, domain))) throw notFound("domain of this tenant", domain);
        return { target: tenantId, before: { domain }, result: undefined };
      },
    };
  },
);

/** Lists the domains of the caller's tenant in alphabetical order. */
export const listTenantDomains = useCase(
  { role: "admin" },
  async ({ database }: AccessDeps, { tenantId }): Promise<TenantDomain[]> =>
    (await listDomainRows(database.db, tenantId)).map(toRecord),
);

/** @returns the domain in lower case and ASCII @throws MusterError invalid_request */
function checkDomain(text: string): string {
  const domain = parseDomain(text.trim())?.toLowerCase();
  if (!domain?.includes(".")) throw invalidRequest("This is not a domain of e-mail addresses.", text);
  return domain;
}

function toRecord({ domain, created_at: createdAt }: Pick<DomainRow, "domain" | "created_at">): TenantDomain {
  return { domain, createdAt };
}
