import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";
import { QUOTA_NAMES, type QuotaName } from "../../lib/limits/limits.ts";
import { quotaValue, usedOf } from "./counts-store.ts";

/** A tenant's use of a quota. */
export interface QuotaUse {
  used: number;
  value: number;
}

interface Counted {
  tenantId: string;
  /** The value for tenants without their own. */
  usual: number;
  now: Date;
}

interface Row {
  used: string;
  value: number;
}

const counts = Object.fromEntries(
  QUOTA_NAMES.map((quota) => [
    quota,
    statement<Counted, Row>(
      `quota-use-${quota}`,
      (p) => sql`SELECT ${usedOf(quota, sql`${p.tenantId}::uuid`, sql`${p.now}::timestamptz`)} AS used,
        ${quotaValue(sql.lit(quota), sql`${p.tenantId}::uuid`, p.usual)} AS value`,
    ),
  ]),
) as Record<QuotaName, ReturnType<typeof statement<Counted, Row>>>;

/** Reads the tenant's use of a quota and its value of the quota. */
export async function readUse(db: Db, quota: QuotaName, counted: Counted): Promise<QuotaUse> {
  const [row] = await runStatement(db, counts[quota], counted);
  return { used: Number(row!.used), value: row!.value };
}

const lock = statement<{ tenantId: string; quota: QuotaName }, unknown>(
  "lock-quota",
  (p) => sql`SELECT pg_advisory_xact_lock(quota_lock(${p.tenantId}::uuid, ${p.quota}::text))`,
);

/** Locks a quota of the tenant until the transaction ends, so that no other transaction adds to it. */
export async function lockQuota(tx: Tx, tenantId: string, quota: QuotaName): Promise<void> {
  await runStatement(tx, lock, { tenantId, quota });
}

/** Sets the tenant's own value; `undefined` removes it. */
export async function setValue(tx: Tx, tenantId: string, quota: QuotaName, value: number | undefined): Promise<void> {
  if (value === undefined) {
    await tx.deleteFrom("tenant_quotas").where("tenant_id", "=", tenantId).where("quota", "=", quota).execute();
    return;
  }
  await tx
    .insertInto("tenant_quotas")
    .values({ tenant_id: tenantId, quota, value })
    .onConflict((conflict) => conflict.columns(["tenant_id", "quota"]).doUpdateSet({ value }))
    .execute();
}

/** Returns the tenant's own values. */
export async function ownValues(db: Db, tenantId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("tenant_quotas")
    .select(["quota", "value"])
    .where("tenant_id", "=", tenantId)
    .execute();
  return new Map(rows.map(({ quota, value }) => [quota, value]));
}

/** Returns, for each quota, the greatest share that a tenant uses; 1 means that the tenant has reached it. */
export async function greatestShares(
  db: Db,
  usual: Readonly<Record<QuotaName, number>>,
  now: Date,
): Promise<{ quota: QuotaName; share: number }[]> {
  const of = (quota: QuotaName) => sql`
    SELECT ${sql.lit(quota)}::text AS quota, ${usedOf(quota, sql.ref("t.id"), sql`${now}::timestamptz`)} AS used,
           ${quotaValue(sql.lit(quota), sql.ref("t.id"), sql`${usual[quota]}`)} AS value FROM tenants t`;
  const { rows } = await sql<{ quota: QuotaName; share: number }>`
    SELECT quota, max(used::float8 / greatest(value, 1)) AS share FROM (${sql.join(QUOTA_NAMES.map(of), sql` UNION ALL `)}) u
     GROUP BY quota`.execute(db);
  return rows;
}
