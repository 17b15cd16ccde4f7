import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { violatedUnique } from "../../db/refusal.ts";
import type { TenantsTable } from "../../db/schema.generated.ts";
import type { PageRequest } from "../../lib/page.ts";
import { alreadyExists } from "../../lib/request-errors.ts";

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

/** Returns one page of all tenants, newest first, with the total. */
export async function listTenantRows(
  db: Db,
  { skip, limit }: PageRequest,
): Promise<{ rows: (TenantRow & { created_at: Date })[]; total: number }> {
  const rows = await db
    .selectFrom("tenants")
    .select(["id", "slug", "name", "created_at"])
    .orderBy("id", "desc")
    .limit(limit)
    .offset(skip)
    .execute();
  const counted = db.selectFrom("tenants").select((of) => of.fn.countAll<string>().as("total"));
  return { rows, total: Number((await counted.executeTakeFirstOrThrow()).total) };
}

export type TenantDetailRow = Selectable<TenantsTable>;

/** Reads an existing tenant: tenants are never deleted. */
export async function readTenant(db: Db, id: string): Promise<TenantDetailRow> {
  return await db.selectFrom("tenants").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

/** Reads a tenant and locks its row until the transaction ends. */
export async function lockTenant(tx: Tx, id: string): Promise<TenantDetailRow> {
  return await tx.selectFrom("tenants").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** Returns whether the tenant's admins must have a second factor, and locks the rule until the transaction ends. */
export async function lockFactorRule(tx: Tx, id: string): Promise<boolean> {
  return (await lockTenant(tx, id)).admins_need_factor;
}

/** Changes the tenant. Fires `tenants_factor_rule`. */
export async function updateTenantRow(
  tx: Tx,
  id: string,
  edit: {
    name: string;
    retentionDays: number;
    adminsNeedFactor: boolean;
    lastResort: TenantDetailRow["last_resort"];
    flapsAbove: number;
    causeWaitMinutes: number;
  },
): Promise<TenantDetailRow> {
  const set = {
    name: edit.name,
    telemetry_retention_days: edit.retentionDays,
    admins_need_factor: edit.adminsNeedFactor,
    last_resort: edit.lastResort,
    flaps_above: edit.flapsAbove,
    cause_wait_minutes: edit.causeWaitMinutes,
  };
  return await tx.updateTable("tenants").set(set).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/**
 * Sets how long telemetry is kept. Fires `tenants_retention`.
 *
 * @returns the previous retention
 */
export async function setRetention(tx: Tx, tenantId: string, days: number): Promise<number> {
  const { rows } = await sql<{ before: number }>`
    UPDATE tenants t SET telemetry_retention_days = ${days}
      FROM (SELECT id, telemetry_retention_days AS before FROM tenants WHERE id = ${tenantId} FOR NO KEY UPDATE) b
     WHERE t.id = b.id RETURNING b.before`.execute(tx);
  return rows[0]!.before;
}

/** Returns the only tenant, `undefined` if there is none, or `several` if a slug must choose. */
export async function soleTenant(db: Db): Promise<TenantRow | "several" | undefined> {
  const rows = await db.selectFrom("tenants").select(["id", "slug", "name"]).limit(2).execute();
  return rows.length > 1 ? "several" : rows[0];
}
