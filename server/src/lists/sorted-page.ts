import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/types.ts";
import type { PageRequest } from "../lib/page.ts";
import { countList } from "./list-total.ts";
import { type CountedList, LISTS } from "./lists.ts";
import { oneLongSearch } from "./long-searches.ts";
import { type Counted, type Shown, tableOf, totalOf } from "./shown.ts";
import { nextSortedPart } from "./sorted-walk.ts";
import { isPart, nextPartOfList, type WalkKey } from "./walk.ts";

export interface Sorted extends Shown {
  /** SQL over `as`: the condition of the rows; absent for the whole list. */
  readonly where?: RawBuilder<unknown> | undefined;
  /**
   * SQL over `as`. Rows without a value come last, in both directions; equal rows are in the order of the list, newest
   * first.
   */
  readonly order: WalkKey;
  /** Whether an index has this order. */
  readonly indexed?: boolean;
}

/**
 * Returns one page of a list in another order, and the number of rows. If no index has the order, every row that meets
 * `where` is read once for the page, and only the rows up to its end are kept. A tenant then sorts one list at a time,
 * as with long searches.
 *
 * @throws MusterError rate_limited when too many of the tenant's searches and sorts wait
 */
export async function sortedPage<Row>(
  db: Db,
  tenantId: string,
  sorted: Sorted,
  page: PageRequest,
): Promise<Counted<Row>> {
  const { indexed = false, order, ...shown } = sorted;
  if (!isPart(page)) {
    const read = () => readPage<Row>(db, tenantId, sorted, page);
    return indexed ? await read() : await oneLongSearch(db, tenantId, read);
  }
  const nextPart = indexed ? nextPartOfList<Row> : nextSortedPart<Row>;
  return await nextPart(db, tenantId, { ...shown, by: order }, page);
}

async function readPage<Row>(db: Db, tenantId: string, listing: Sorted, page: PageRequest): Promise<Counted<Row>> {
  const { list, as, columns, where, order } = listing;
  const { skip, limit, countAhead } = page;
  const { key: column, where: listed = "true" }: CountedList = LISTS[list];
  const key = sql.ref(`${as}.${column}`);
  const tenant = sql.ref(`${as}.tenant_id`);
  const rowsOf = sql`FROM ${tableOf(listing)}
    WHERE ${tenant} = ANY (ARRAY[${tenantId}]::uuid[]) AND ${sql.raw(listed)} AND ${where ?? sql`true`}`;
  const direction = sql.raw(order.descending ? "DESC" : "ASC");
  const nulls = order.nullable ? sql`NULLS LAST` : sql``;
  const sorted = sql`ORDER BY ${tenant} ${direction}, ${order.by} ${direction} ${nulls}, ${key} DESC`;
  const most = countAhead === undefined ? null : skip + limit + countAhead;
  const count = sql<{ n: string }>`SELECT count(*) AS n FROM (SELECT ${rowsOf} LIMIT ${most}::bigint) t`;
  const total =
    where === undefined
      ? { total: await countList(db, tenantId, list) }
      : totalOf(Number((await count.execute(db)).rows[0]!.n), page);
  const { rows } = await sql<Row>`
    WITH page AS MATERIALIZED (SELECT ${key} AS key ${rowsOf} ${sorted} LIMIT ${limit}::bigint OFFSET ${skip}::bigint)
    SELECT ${columns} FROM page JOIN ${tableOf(listing)} ON ${key} = page.key ${sorted}`.execute(db);
  return { rows, ...total };
}
