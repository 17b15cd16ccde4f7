import { type RawBuilder, sql } from "kysely";

/**
 * The tenants of the CTE `tenant` whose `work` no other process is doing, locked until the transaction ends. With locks of rows alone, two
 * processes that begin at once divide the changes of one moment between them, and a storm is not combined into one digest.
 *
 * `OFFSET 0` keeps the condition in the subquery: a tenant that the batch does not come to is not locked.
 */
export function lockedTenants(work: "inbox" | "pages"): RawBuilder<unknown> {
  return sql`(SELECT tenant_id FROM tenant
    WHERE tenant_id IS NOT NULL AND pg_try_advisory_xact_lock(hashtextextended(${sql.lit(`${work} `)} || tenant_id, 0)) OFFSET 0)`;
}
