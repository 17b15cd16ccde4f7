import { type RawBuilder, sql } from "kysely";
import type { PageRequest } from "../lib/page.ts";
import { AFTER_ALL, BEFORE_ALL, type ListScope, listScope } from "./list-scope.ts";
import { type CountedList, LISTS, type ListName } from "./lists.ts";
import { mostTail, SIZES, type Sizes, tend } from "./tend-list.ts";
import type { Db } from "./types.ts";

/** What of each row is read. */
export interface Shown {
  readonly list: ListName;
  /** What the table is called in `columns`. */
  readonly as: string;
  /** The SELECT list of a row. */
  readonly columns: RawBuilder<unknown>;
}

export interface Counted<Row> {
  rows: Row[];
  /** Exactly how many rows there are, of the same moment as the page. */
  total: number;
}

/**
 * One page of a list of `db/lists.ts`, newest first, and its exact total, at a cost that does not grow with the list: what is
 * older than its tail was counted before (docs/decisions/0008). Now and then a call cuts blocks before it answers, in
 * transactions of its own: `db` is the pool, in a transaction nothing is cut. `variant`: a status, or the name of one of the
 * list's `variants`; absent for the whole list.
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
  const scope = listScope(shown.list, shown.variant ?? "", tenantId);
  const read = (most: number | null) => readPage<Row>(db, scope, shown, page, most);
  const { tail, changes, ...found } = await read(mostTail(sizes) + 1);
  const whole = tail <= mostTail(sizes);
  if (whole && (changes <= sizes.changes || db.isTransaction)) return found;
  if (!db.isTransaction) await tend(db, scope, sizes);
  const { rows, total } = await read(null);
  return { rows, total };
}

/**
 * One page of those rows of a list that meet `where` (SQL over `as`), newest first, and how many do. For filters that are no
 * variants: it costs what counting the matches costs, so let an index find them.
 */
export async function filteredPage<Row>(
  db: Db,
  tenantId: string,
  { list, as, columns, where }: Shown & { readonly where: RawBuilder<unknown> },
  { skip, limit }: PageRequest,
): Promise<Counted<Row>> {
  const { key, where: listed = "true" }: CountedList = LISTS[list];
  const { rows } = await sql<Row & Counts>`
    WITH matched AS (
      SELECT ${sql.ref(`${as}.${key}`)} AS key FROM ${sql.table(list)} ${sql.ref(as)}
      WHERE ${sql.ref(`${as}.tenant_id`)} = ${tenantId}::uuid AND ${sql.raw(listed)} AND ${where}
    ), page AS (SELECT key FROM matched ORDER BY key DESC LIMIT ${limit}::bigint OFFSET ${skip}::bigint)
    SELECT c.*, p.* FROM (SELECT count(*) AS list_total FROM matched) c
    LEFT JOIN (${rowsOf("page", list, as, columns)}) p ON true ORDER BY p.list_key DESC`.execute(db);
  return { rows: rows.flatMap(withoutCounts<Row>), total: Number(rows[0]!.list_total) };
}

interface Read<Row> extends Counted<Row> {
  /** Rows newer than the newest block. */
  tail: number;
  /** Changes that wait to be added to their blocks. */
  changes: number;
}

/**
 * One statement, hence one snapshot. At most `most` rows of the tail are counted (null: all of them); when there are as many,
 * neither page nor total can be relied on.
 *
 * A page that begins below the tail begins in the oldest block with no more than `skip` rows newer than it: blocks and
 * changes are summed up from the newest on, and only what is left to skip is walked over.
 */
async function readPage<Row>(
  db: Db,
  { table, key, its, newestBlock, within, order }: ListScope,
  { list, as, columns }: Shown,
  { skip, limit }: PageRequest,
  most: number | null,
): Promise<Read<Row>> {
  const { rows } = await sql<Row & Counts>`
    WITH newest AS (
      SELECT ${newestBlock(sql`size IS NOT NULL`)} AS upto
    ), tail AS (
      SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${within(sql`(SELECT upto FROM newest)`, AFTER_ALL)}
        ORDER BY ${order("DESC")} LIMIT ${most}::bigint) t
    ), counted AS (
      SELECT upto AS at, size AS n, true AS block FROM list_blocks WHERE ${its} AND size IS NOT NULL
      UNION ALL
      SELECT at, change, false FROM list_changes WHERE ${its} AND at <= (SELECT upto FROM newest)
    ), place AS (
      SELECT b.at, ${skip}::bigint - b.newer AS skip FROM (
        SELECT at, block, (SELECT n FROM tail)
          + coalesce(sum(n) OVER (ORDER BY at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS newer
        FROM counted) b
      WHERE ${skip}::bigint >= (SELECT n FROM tail) AND b.block AND b.newer <= ${skip}::bigint ORDER BY b.at LIMIT 1
    ), page AS (
      SELECT ${key} AS key FROM ${table}
      WHERE ${within(BEFORE_ALL, sql`coalesce((SELECT at FROM place), ${AFTER_ALL})`)}
      ORDER BY ${order("DESC")} LIMIT ${limit}::bigint OFFSET coalesce((SELECT skip FROM place), ${skip}::bigint)
    )
    SELECT c.*, p.* FROM (
      SELECT (SELECT n FROM tail) AS list_tail, (SELECT n FROM tail) + coalesce(sum(n), 0) AS list_total,
        count(*) FILTER (WHERE NOT block) AS list_changes FROM counted) c
    LEFT JOIN (${rowsOf("page", list, as, columns)}) p ON true ORDER BY p.list_key DESC`.execute(db);
  const { list_total, list_tail, list_changes } = rows[0]!;
  return {
    rows: rows.flatMap(withoutCounts<Row>),
    total: Number(list_total),
    tail: Number(list_tail),
    changes: Number(list_changes),
  };
}

/** What every row carries besides its columns; `list_key` is null in the one row of an empty page. */
interface Counts {
  list_key: string | null;
  list_total: string;
  list_tail?: string;
  list_changes?: string;
}

/** The columns of the rows whose keys are in `page`: worked out for these only, not for what is skipped. */
function rowsOf(page: string, list: ListName, as: string, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`SELECT page.key AS list_key, ${columns} FROM ${sql.table(page)}
    JOIN ${sql.table(list)} ${sql.ref(as)} ON ${sql.ref(`${as}.${LISTS[list].key}`)} = page.key`;
}

function withoutCounts<Row>({ list_key, list_total, list_tail, list_changes, ...row }: Row & Counts): Row[] {
  return list_key === null ? [] : [row as Row];
}
