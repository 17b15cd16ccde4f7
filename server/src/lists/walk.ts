import { type RawBuilder, type SqlBool, sql } from "kysely";
import { isDataException } from "../db/refusal.ts";
import type { Db } from "../db/types.ts";
import type { PageRequest, Walk } from "../lib/page.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { type CountedList, LISTS } from "./lists.ts";
import { type Counted, type Shown, tableOf } from "./shown.ts";

/** An expression that orders a list. */
export interface WalkKey {
  readonly by: RawBuilder<unknown>;
  readonly type: "uuid" | "text" | "timestamptz";
  readonly descending: boolean;
  /** Whether values may be missing; allowed for the first of two keys only. Rows without a value come last. */
  readonly nullable?: boolean;
}

export interface Walked {
  /** The SELECT list of a row. */
  readonly columns: RawBuilder<unknown>;
  /** SQL: FROM and WHERE. */
  readonly from: RawBuilder<unknown>;
  /** One expression that is unique, or two that are unique together. */
  readonly keys: readonly [WalkKey, ...WalkKey[]];
  /** A column that is equal in all rows, if the index of the order begins with it (list-scope.ts). */
  readonly common?: RawBuilder<unknown>;
}

/** A request for the next part of a walk. */
export interface PartRequest extends PageRequest {
  walk: Walk;
}

export function isPart(page: PageRequest): page is PartRequest {
  return page.walk !== undefined;
}

/** The place before all rows without a value. */
const WITHOUT = [null, null] as const;

/**
 * Returns the next rows of a walk. They are found by the last row of the previous part, so a part costs the same at any
 * depth.
 */
export async function nextPart<Row>(
  db: Db,
  { columns, from, keys, common }: Walked,
  { walk, limit }: PartRequest,
): Promise<Counted<Row>> {
  const ordered = [...(common ? [{ by: common, descending: keys[0].descending }] : []), ...keys];
  const order = ordered.map(({ by, descending }) => sql`${by} ${sql.raw(descending ? "DESC" : "ASC")}`);
  const place = keys.map(({ by }) => sql`(${by})::text`);
  const read = sql<Row & Placed>`
    SELECT ${columns}, ARRAY[${sql.join(place)}] AS list_place ${from} AND ${afterPlace(keys, walk.place)}
     ORDER BY ${sql.join(order)} LIMIT ${limit}::bigint`;
  const { rows } = await fromPlace(() => read.execute(db));
  const isLast = rows.length < limit;
  const hasWithout = keys[0].nullable && walk.place?.[0] !== null;
  if (isLast && hasWithout) walk.place = WITHOUT;
  else if (isLast) walk.ended = true;
  else walk.place = rows.at(-1)!.list_place;
  return { rows: rows.map(({ list_place, ...row }) => row as Row), total: 0 };
}

/**
 * Runs the query of a part. Its place may come from a client.
 *
 * @throws MusterError invalid_request for a place that is none of this list
 */
export async function fromPlace<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (isDataException(error)) throw invalidRequest("cursor must be the `next` of an earlier page", "cursor");
    throw error;
  }
}

interface Placed {
  list_place: (string | null)[];
}

/**
 * Returns the SQL condition that the row comes after the place. With a nullable key, rows with a value come first, then
 * those without.
 */
function afterPlace([first, second]: Walked["keys"], place: Walk["place"]): RawBuilder<SqlBool> {
  const isValued = first.nullable ? sql`${first.by} IS NOT NULL` : sql`true`;
  if (place === undefined) return sql<SqlBool>`${isValued}`;
  const [one, other] = place;
  if (one === null)
    return sql<SqlBool>`${first.by} IS NULL AND ${other == null ? sql`true` : isAfter(second!, other, "")}`;
  if (second === undefined) return sql<SqlBool>`${isAfter(first, one!, "")}`;
  // The second condition implies the first, which exists because an index can find only that one.
  return sql<SqlBool>`${isValued} AND ${isAfter(first, one!, "=")}
    AND (${isAfter(first, one!, "")} OR ${isAfter(second, other!, "")})`;
}

function isAfter({ by, type, descending }: WalkKey, value: string, orEqual: "" | "="): RawBuilder<SqlBool> {
  return sql<SqlBool>`${by} ${sql.raw(`${descending ? "<" : ">"}${orEqual}`)} ${value}::${sql.raw(type)}`;
}

export interface WalkedList extends Shown {
  /** SQL over `as`: the condition of the rows; absent for the whole list. */
  readonly where?: RawBuilder<unknown> | undefined;
  /** The key to sort by before the list's own, which is descending. */
  readonly by?: WalkKey;
}

/** Returns the next rows of one of the lists of `lists.ts`. */
export async function nextPartOfList<Row>(
  db: Db,
  tenantId: string,
  walked: WalkedList,
  page: PartRequest,
): Promise<Counted<Row>> {
  const { list, as, columns, where, by } = walked;
  const { key: column, where: listed = "true" }: CountedList = LISTS[list];
  const tenant = sql.ref(`${as}.tenant_id`);
  const key = { by: sql.ref(`${as}.${column}`), type: "uuid", descending: true } as const;
  const from = sql`FROM ${tableOf(walked)}
    WHERE ${tenant} = ANY (ARRAY[${tenantId}]::uuid[]) AND ${sql.raw(listed)} AND ${where ?? sql`true`}`;
  return await nextPart(db, { columns, from, keys: by ? [by, key] : [key], common: tenant }, page);
}

const kept = new WeakMap<Walk, Promise<unknown>>();

/** Returns the result that `find` gave for the first part of a walk; without a walk, `find` runs each time. */
export async function oncePerWalk<T>(walk: Walk | undefined, find: () => Promise<T>): Promise<T> {
  if (walk === undefined) return await find();
  const found = (kept.get(walk) as Promise<T> | undefined) ?? find();
  kept.set(walk, found);
  return await found;
}
