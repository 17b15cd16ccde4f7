import { type RawBuilder, sql } from "kysely";

/**
 * SQL: the tenants of the CTE `tenant` whose `work` no other process is doing, locked until the transaction ends. With
 * row locks alone, two processes that start together would divide the changes between them, and a storm would not be
 * combined into one digest.
 *
 * `OFFSET 0` keeps the condition in the subquery, so that tenants beyond the batch are not locked.
 */
export function lockedTenants(work: "inbox" | "pages"): RawBuilder<unknown> {
  return sql`(SELECT tenant_id FROM tenant
    WHERE tenant_id IS NOT NULL AND pg_try_advisory_xact_lock(hashtextextended(${sql.lit(`${work} `)} || tenant_id, 0)) OFFSET 0)`;
}
