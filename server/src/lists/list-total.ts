import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/types.ts";
import { countedPage } from "./counted-page.ts";
import { BEFORE_ALL } from "./list-scope.ts";
import { type CountedList, LISTS, type ListName } from "./lists.ts";

/**
 * Returns SQL for the exact number of rows in a tenant's list. It adds the sizes of blocks to the list's tail, so it is
 * cheap if the list is maintained ({@link countList}). The order prevents PostgreSQL from reading other tenants' rows
 * (list-scope.ts). `tenant` may be a column of a table other than `listed` and `b`.
 */
export function listTotal(list: ListName, tenant: RawBuilder<unknown>): RawBuilder<string> {
  const { key: column, where = "true" }: CountedList = LISTS[list];
  const key = sql.ref(`listed.${column}`);
  const its = sql`b.tenant_id = ${tenant} AND b.list = ${sql.lit(list)} AND b.variant = ''`;
  return sql`(SELECT coalesce((SELECT sum(b.size) FROM list_blocks b WHERE ${its} AND b.size IS NOT NULL), 0)
      + coalesce((SELECT sum(b.change) FROM list_changes b WHERE ${its} AND b.at <= newest.upto), 0)
      + (SELECT count(*) FROM (SELECT FROM ${sql.table(list)} listed
          WHERE listed.tenant_id = ANY (ARRAY[${tenant}]::uuid[]) AND ${sql.raw(where)} AND ${key} > newest.upto AND in_one_process()
          ORDER BY listed.tenant_id DESC, ${key} DESC) tail)
    FROM (SELECT coalesce((SELECT b.upto FROM list_blocks b WHERE ${its} AND b.size IS NOT NULL
      ORDER BY b.upto DESC LIMIT 1), ${BEFORE_ALL}) AS upto) newest)`;
}

/** Returns the total of one tenant's list, and maintains the list if its tail is long, in transactions of its own. */
export async function countList(db: Db, tenantId: string, list: ListName, variant?: string): Promise<number> {
  const shown = { list, as: "t", columns: sql`NULL`, variant };
  return (await countedPage(db, tenantId, shown, { skip: 0, limit: 0 })).total;
}
