import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/types.ts";
import { records } from "../lib/limits/records.ts";
import type { PageRequest } from "../lib/page.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { type CountedList, LISTS } from "./lists.ts";
import { oneLongSearch, oneStep } from "./long-searches.ts";
import { type Counted, type Shown, tableOf, totalOf } from "./shown.ts";
import { fromPlace, isPart, type PartRequest } from "./walk.ts";

/** The rows that a search reads in one statement, in about 10 ms; other statements run in between. */
const STEP = 5_000;

export interface Searched extends Shown {
  /**
   * SQL: the condition of the searched rows, besides those of other filters that an index finds; absent for the whole
   * list.
   */
  readonly within?: RawBuilder<unknown> | undefined;
  /** SQL: the condition of the matches, which no index finds. */
  readonly matches: RawBuilder<unknown>;
}

/**
 * Returns one page of the matching rows, newest first, and their number. Every row is read, in steps, so that no search
 * occupies the database for long. One multi-step search runs at a time per tenant (docs/decisions/0013). Rows that
 * change during the search are found as they are when their step reads them.
 *
 * @throws MusterError invalid_request when there are more rows to read than a search may; rate_limited
 */
export async function searchPage<Row>(
  db: Db,
  tenantId: string,
  searched: Searched,
  page: PageRequest,
  { step = STEP, most = records.searchRows.value } = {},
): Promise<Counted<Row>> {
  const search = { db, tenantId, searched, page, step, found: 0, read: 0, keys: [] as string[] };
  if (isPart(page)) return await searchPart<Row>(search, page);
  const next = await readStep(search, undefined);
  if (next !== undefined && !isCounted(search)) await oneLongSearch(db, tenantId, () => readOn(search, next, most));
  return { rows: await readRows<Row>(db, tenantId, searched, search.keys), ...totalOf(search.found, page) };
}

/** Returns whether as many matches were found as the request asks to be counted. */
function isCounted({ found, page: { skip, limit, countAhead } }: Search): boolean {
  return countAhead !== undefined && found >= skip + limit + countAhead;
}

/** Returns the matches of one step of a walk; there may be none. */
async function searchPart<Row>(search: Search, { walk, limit }: PartRequest): Promise<Counted<Row>> {
  const { db, tenantId, searched } = search;
  const part = { ...search, page: { skip: 0, limit } };
  const next = await fromPlace(() => readStep(part, walk.place?.[0] ?? undefined));
  const isCut = part.found > part.keys.length;
  const last = isCut ? part.keys.at(-1) : next;
  if (last === undefined) walk.ended = true;
  else walk.place = [last];
  return { rows: await readRows<Row>(db, tenantId, searched, part.keys), total: 0 };
}

interface Search {
  db: Db;
  tenantId: string;
  searched: Searched;
  page: PageRequest;
  step: number;
  /** The matches so far, the rows read so far, and the keys of the page. */
  found: number;
  read: number;
  keys: string[];
}

async function readOn(search: Search, from: string, most: number): Promise<void> {
  let next: string | undefined = from;
  while (next !== undefined && !isCounted(search)) {
    next = await readStep(search, next);
    if (search.read > most)
      throw invalidRequest(
        `the search has read ${most.toLocaleString("en")} records, as many as a search may: narrow it by another filter`,
        "q",
      );
  }
}

/** @returns the key before which the next step reads; `undefined` when this was the last */
async function readStep(search: Search, before: string | undefined): Promise<string | undefined> {
  const { db, tenantId, searched, page, step } = search;
  const { list, as, within = sql`true`, matches } = searched;
  const { key: column, where = "true" }: CountedList = LISTS[list];
  const [tenant, key] = [sql.ref(`${as}.tenant_id`), sql.ref(`${as}.${column}`)];
  const skip = Math.max(0, page.skip - search.found);
  const wanted = page.limit - search.keys.length;
  // The aggregates receive the rows in the order of the subquery.
  const query = sql<{ read: string; found: string; last: string | null; keys: string[] }>`
    SELECT count(*) AS read, count(*) FILTER (WHERE matches) AS found, (array_agg(key))[${sql.lit(step)}] AS last,
           coalesce((array_agg(key::text) FILTER (WHERE matches))[${skip + 1}::int:${skip + wanted}::int], '{}') AS keys
      FROM (SELECT ${key} AS key, ${matches} AS matches FROM ${tableOf(searched)}
             WHERE ${tenant} = ANY (ARRAY[${tenantId}]::uuid[]) AND ${sql.raw(where)} AND ${within}
               AND ${before === undefined ? sql`true` : sql`${key} < ${before}::uuid`}
             ORDER BY ${tenant} DESC, ${key} DESC LIMIT ${sql.lit(step)}) step`;
  const { rows } = await oneStep(db, tenantId, () => query.execute(db));
  const { read, found, last, keys } = rows[0]!;
  search.read += Number(read);
  search.found += Number(found);
  search.keys.push(...keys);
  return last ?? undefined;
}

async function readRows<Row>(db: Db, tenantId: string, shown: Shown, keys: readonly string[]): Promise<Row[]> {
  if (keys.length === 0) return [];
  const { list, as, columns } = shown;
  const key = sql.ref(`${as}.${LISTS[list].key}`);
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM ${tableOf(shown)}
     WHERE ${sql.ref(`${as}.tenant_id`)} = ${tenantId} AND ${key} = ANY (${keys}::uuid[]) ORDER BY ${key} DESC`.execute(
    db,
  );
  return rows;
}
