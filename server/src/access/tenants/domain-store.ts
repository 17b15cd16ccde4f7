import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { violatedUnique } from "../../db/refusal.ts";
import type { TenantDomainsTable } from "../../db/schema.generated.ts";
import { alreadyExists } from "../../lib/request-errors.ts";

export type DomainRow = Selectable<TenantDomainsTable>;

/** @throws MusterError already_exists when a tenant has the domain */
export async function insertDomain(tx: Tx, row: DomainRow): Promise<void> {
  try {
    await tx.insertInto("tenant_domains").values(row).execute();
  } catch (error) {
    if (violatedUnique(error)) throw alreadyExists("The domain is assigned to a tenant already.", row.domain);
    throw error;
  }
}

/** @returns whether the tenant had the domain */
export async function deleteDomain(tx: Tx, tenantId: string, domain: string): Promise<boolean> {
  const deleted = tx.deleteFrom("tenant_domains").where("tenant_id", "=", tenantId).where("domain", "=", domain);
  return (await deleted.returning("domain").execute()).length === 1;
}

/** Lists the domains of a tenant in alphabetical order. */
export async function listDomainRows(db: Db, tenantId: string): Promise<Pick<DomainRow, "domain" | "created_at">[]> {
  const ofTenant = db.selectFrom("tenant_domains").select(["domain", "created_at"]).where("tenant_id", "=", tenantId);
  return await ofTenant.orderBy("domain").execute();
}

/** Returns the tenant to which the domain of an e-mail address is assigned. */
export async function tenantOfAddress(db: Db, email: string): Promise<string | undefined> {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const assigned = db.selectFrom("tenant_domains").select("tenant_id").where("domain", "=", domain);
  return (await assigned.executeTakeFirst())?.tenant_id;
}

export async function countDomains(db: Db, tenantId: string): Promise<number> {
  const counted = db.selectFrom("tenant_domains").select(sql<number>`count(*)::int`.as("domains"));
  return (await counted.where("tenant_id", "=", tenantId).executeTakeFirstOrThrow()).domains;
}
