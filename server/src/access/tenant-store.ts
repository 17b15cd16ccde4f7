import type { Db } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import { alreadyExists } from "../lib/request-errors.ts";

export interface TenantRow {
  id: string;
  slug: string;
  name: string;
}

/** @throws MusterError already_exists when the slug is taken */
export async function insertTenant(db: Db, tenant: TenantRow & { created_at: Date }): Promise<void> {
  try {
    await db.insertInto("tenants").values(tenant).execute();
  } catch (error) {
    if (violatedUnique(error)) throw alreadyExists("There is already a tenant with this slug.", tenant.slug);
    throw error;
  }
}

export async function findTenant(db: Db, slug: string): Promise<TenantRow | undefined> {
  return await db.selectFrom("tenants").select(["id", "slug", "name"]).where("slug", "=", slug).executeTakeFirst();
}

export async function setRetention(db: Db, tenantId: string, days: number): Promise<void> {
  await db.updateTable("tenants").set({ telemetry_retention_days: days }).where("id", "=", tenantId).execute();
}
