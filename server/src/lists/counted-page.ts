import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/types.ts";
import type { PageRequest } from "../lib/page.ts";
import { type ListScope, listScope, variantCondition } from "./list-scope.ts";
import { type CountedList, LISTS } from "./lists.ts";
import { maintainBlocks, mostTail, SIZES, type Sizes } from "./maintain-blocks.ts";
import { type Counted, type Shown, tableOf, totalOf } from "./shown.ts";
import { isPart, nextPartOfList } from "./walk.ts";

export type { Counted, Shown } from "./shown.ts";

/**
 * Returns one page of a list of `lists/lists.ts`, newest first, and its exact total, at a cost that does not grow with
 * the list: rows older than the tail were counted before (docs/decisions/0008). Occasionally a call cuts blocks before
 * it answers, in transactions of its own, if `db` is the pool; in a transaction nothing is cut.
 *
 * `variant`: a status, or the name of one of the list's `variants`; absent for the whole list.
 *
 *     countedPage<ClaimRow>(db, tenantId, { list: "claims", variant: status, as: "c", columns: COLUMNS }, page)
 */
export async function countedPage<Row>(
  db: Db,
  tenantId: string,
  shown: Shown & { readonly variant?: string | undefined },
  page: PageRequest,
  sizes: Sizes = SIZES,
): Promise<Counted<Row>> {
  if (isPart(page)) {
    const where = shown.variant === undefined ? undefined : variantCondition(shown.list, shown.variant, shown.as);
    return await nextPartOfList(db, tenantId, { ...shown, where }, page);
  }
  const scope = listScope(shown.list, shown.variant ?? "", tenantId);
  const most = mostTail(sizes);
  const read = (tail: number | null) =>
    page.skip <= most ? firstPages<Row>(db, scope, shown, page, tail) : deepPage<Row>(db, scope, shown, page, tail);
  const { tail, changes, rows, total } = await read(most + 1);
  const whole = tail <= most;
  if (whole && (changes <= sizes.changes || db.isTransaction)) return { rows, total };
  if (!db.isTransaction) await maintainBlocks(db, scope, sizes);
  const again = await read(null);
  return { rows: again.rows, total: again.total };
}

/** The number of keys read beyond a page before all are counted: a filter with fewer matches is scanned once. */
const AHEAD = 1_000;

/**
 * Returns one page of the rows of a list that meet `where` (SQL over `as`), newest first, and their number. For filters
 * that are not variants: it costs as much as counting the matches, so an index should find them.
 *
 * The page is read in the order of an index, through its end and a little further. If the rows end there, the total is
 * known. Otherwise all matches are counted, without an order, unless `countAhead` asks for less. The order is one that
 * only the tenant's index has: `list-scope.ts`.
 */
export async function filteredPage<Row>(
  db: Db,
  tenantId: string,
  { where, ...shown }: Shown & { readonly where: RawBuilder<unknown> },
  page: PageRequest,
  ahead = page.countAhead ?? AHEAD,
): Promise<Counted<Row>> {
  if (isPart(page)) return await nextPartOfList(db, tenantId, { ...shown, where }, page);
  const { skip, limit, countAhead } = page;
  const { list, as } = shown;
  const { key: column, where: listed = "true" }: CountedList = LISTS[list];
  const [tenant, key] = [sql.ref(`${as}.tenant_id`), sql.ref(`${as}.${column}`)];
  const of = (tenants: RawBuilder<unknown>) =>
    sql`FROM ${tableOf(shown)} WHERE ${tenants} AND ${sql.raw(listed)} AND ${where}`;
  const most = sql`${limit + ahead}::bigint`;
  const all = sql`(SELECT count(*) ${of(sql`${tenant} = ${tenantId}::uuid`)})`;
  const { rows } = await sql<Row & Keyed & { list_total: string }>`
    WITH ahead AS MATERIALIZED (
      SELECT ${key} AS key ${of(sql`${tenant} = ANY (ARRAY[${tenantId}]::uuid[])`)}
       ORDER BY ${tenant} DESC, ${key} DESC LIMIT ${most} OFFSET ${skip}::bigint
    ), page AS (SELECT key FROM ahead ORDER BY key DESC LIMIT ${limit}::bigint)
    SELECT c.*, p.* FROM (
      SELECT CASE WHEN n = 0 AND ${skip}::bigint > 0 THEN ${all} WHEN n < ${most} THEN ${skip}::bigint + n
                  ELSE ${countAhead === undefined ? all : sql`${skip}::bigint + n`} END AS list_total
        FROM (SELECT count(*) AS n FROM ahead) a
    ) c LEFT JOIN (${rowsOfPage(shown)}) p ON true ORDER BY p.list_key DESC`.execute(db);
  return { rows: withoutCounts<Row>(rows), ...totalOf(Number(rows[0]!.list_total), page) };
}

/**
 * Returns the SQL condition that `column` contains `part`, in any case. Pattern characters are escaped. If `part` is
 * plain ASCII, bytes are compared, which takes a fraction of the time of a comparison in the database's collation.
 */
export function contains(column: string, part: string): RawBuilder<boolean> {
  const pattern = `%${part.replace(/[\\%_]/g, "\\$&")}%`;
  if (/^[\x20-\x7e]*$/.test(part)) return sql`lower(${sql.ref(column)} COLLATE "C") LIKE ${pattern.toLowerCase()}`;
  return sql`${sql.ref(column)} ILIKE ${pattern}`;
}

/** The key that `page` found; `null` if a LEFT JOIN found nothing. */
interface Keyed {
  list_key: string | null;
}

interface Counts {
  /** The number of rows newer than the newest block. */
  list_tail: string;
  list_total: string;
  /** The number of changes that wait to be added to their blocks. */
  list_changes: string;
}

interface Read<Row> extends Counted<Row> {
  tail: number;
  changes: number;
}

/**
 * Reads the page in one statement. The offset is a literal in it: with an unknown offset the planner would plan for a
 * deep page.
 */
async function firstPages<Row>(db: Db, scope: ListScope, shown: Shown, page: PageRequest, most: number | null) {
  const { rows } = await sql<Row & Keyed & Counts>`
    WITH ${counting(scope, most)}, ${keysOfPage(scope, sql`true`, page)}
    SELECT c.*, p.* FROM (${COUNTS}) c LEFT JOIN (${rowsOfPage(shown)}) p ON true ORDER BY p.list_key DESC`.execute(db);
  return readOf<Row>(rows[0]!, withoutCounts<Row>(rows));
}

/** Reads the page in two statements of one snapshot: one finds the block, and one reads from there on. */
async function deepPage<Row>(db: Db, scope: ListScope, shown: Shown, page: PageRequest, most: number | null) {
  if (db.isTransaction) return await readFromBlock<Row>(db, scope, shown, page, most);
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute((tx) => readFromBlock<Row>(tx, scope, shown, page, most));
}

/**
 * Reads a page from the oldest block with at most `skip` newer rows: blocks and changes are summed up from the newest
 * on, and only the remainder is skipped row by row.
 */
async function readFromBlock<Row>(
  db: Db,
  scope: ListScope,
  shown: Shown,
  { skip, limit }: PageRequest,
  most: number | null,
): Promise<Read<Row>> {
  const found = await sql<Counts & { upto: string | null; newer: string | null }>`
    WITH ${counting(scope, most)}, summed AS (
      SELECT at, block, (SELECT n FROM tail)
        + coalesce(sum(n) OVER (ORDER BY at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS newer
      FROM counted
    )
    SELECT c.*, b.at AS upto, b.newer FROM (${COUNTS}) c
    LEFT JOIN (SELECT at, newer FROM summed WHERE block AND newer <= ${skip}::bigint ORDER BY at LIMIT 1) b ON true`.execute(
    db,
  );
  const { upto, newer, ...counts } = found.rows[0]!;
  const from = upto === null ? sql`true` : sql`${scope.key} <= ${upto}::uuid`;
  const { rows } = await sql<Row & Keyed>`
    WITH ${keysOfPage(scope, from, { skip: skip - Number(newer ?? 0), limit })}
    ${rowsOfPage(shown)} ORDER BY list_key DESC`.execute(db);
  return readOf<Row>(counts, withoutCounts<Row>(rows));
}

/**
 * Returns the CTEs `tail` (n: rows newer than the newest block) and `counted` (blocks and waiting changes, each with
 * its number of rows). At most `most` rows of the tail are counted (null: all); if that many are found, the numbers are
 * not reliable.
 */
function counting({ table, key, rows, its, newestBlock, order }: ListScope, most: number | null): RawBuilder<unknown> {
  return sql`newest AS (SELECT ${newestBlock(sql`size IS NOT NULL`)} AS upto),
    tail AS (
      SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${rows} AND ${key} > (SELECT upto FROM newest)
        ORDER BY ${order("DESC")} LIMIT ${most}::bigint) t
    ), counted AS (
      SELECT upto AS at, size AS n, true AS block FROM list_blocks WHERE ${its} AND size IS NOT NULL
      UNION ALL
      SELECT at, change, false FROM list_changes WHERE ${its} AND at <= (SELECT upto FROM newest)
    )`;
}

const COUNTS = sql`SELECT (SELECT n FROM tail) AS list_tail, (SELECT n FROM tail) + coalesce(sum(n), 0) AS list_total,
  count(*) FILTER (WHERE NOT block) AS list_changes FROM counted`;

/** Returns the CTE `page`: the keys of one page. */
function keysOfPage({ table, key, rows, order }: ListScope, from: RawBuilder<unknown>, { skip, limit }: PageRequest) {
  return sql`page AS (SELECT ${key} AS key FROM ${table} WHERE ${rows} AND ${from}
    ORDER BY ${order("DESC")} LIMIT ${limit}::bigint OFFSET ${skip}::bigint)`;
}

/**
 * Returns SQL for the columns of the rows whose keys are in `page`, which are computed for these only, not for skipped
 * rows.
 */
function rowsOfPage(shown: Shown): RawBuilder<unknown> {
  const { list, as, columns } = shown;
  return sql`SELECT page.key AS list_key, ${columns} FROM page
    JOIN ${tableOf(shown)} ON ${sql.ref(`${as}.${LISTS[list].key}`)} = page.key`;
}

function readOf<Row>({ list_tail, list_total, list_changes }: Counts, rows: Row[]): Read<Row> {
  return { rows, total: Number(list_total), tail: Number(list_tail), changes: Number(list_changes) };
}

function withoutCounts<Row>(rows: (Row & Keyed & Partial<Counts>)[]): Row[] {
  return rows.flatMap(({ list_key, list_total, list_tail, list_changes, ...row }) =>
    list_key === null ? [] : [row as Row],
  );
}
