import { type RawBuilder, sql } from "kysely";
import { type CountedList, LISTS, type ListName } from "./lists.ts";

/** SQL of one list of one tenant, whole or narrowed to a variant. Its rows have the alias `t`. */
export interface ListScope {
  /** A name that is unique among all lists, for the maintenance lock. */
  readonly name: string;
  readonly table: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown>;
  /** The condition of its rows, to be combined with {@link order}. */
  readonly rows: RawBuilder<unknown>;
  order(direction: "ASC" | "DESC"): RawBuilder<unknown>;
  /**
   * The values of `tenant_id, list, variant`, and the condition that selects them in `list_blocks` and `list_changes`.
   */
  readonly identity: RawBuilder<unknown>;
  readonly its: RawBuilder<unknown>;
  /** Returns the `upto` of the newest of its blocks that meet `condition`; before all keys if there is none. */
  newestBlock(condition: RawBuilder<unknown>): RawBuilder<unknown>;
}

export const BEFORE_ALL = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/**
 * Returns the SQL of a list. With `tenant_id = … ORDER BY id` the planner may walk the primary key through the rows of
 * other tenants, because it knows that the tenant does not affect the order. With `= ANY` it does not know that, so
 * only an index that begins with the tenant has this order.
 */
export function listScope(list: ListName, variant: string, tenantId: string): ListScope {
  const { key, where }: CountedList = LISTS[list];
  const conditions = [sql`t.tenant_id = ANY (ARRAY[${tenantId}]::uuid[])`];
  if (variant !== "") conditions.push(variantCondition(list, variant, "t"));
  if (where !== undefined) conditions.push(sql.raw(where));
  const its = sql`tenant_id = ${tenantId}::uuid AND list = ${list} AND variant = ${variant}`;
  return {
    name: `${list} ${variant} ${tenantId}`,
    table: sql`${sql.table(list)} t`,
    key: sql.ref(`t.${key}`),
    rows: sql.join(conditions, sql` AND `),
    order: (direction) => sql`t.tenant_id ${sql.raw(direction)}, ${sql.ref(`t.${key}`)} ${sql.raw(direction)}`,
    identity: sql`${tenantId}::uuid, ${list}::text, ${variant}::text`,
    its,
    newestBlock: (condition) =>
      sql`coalesce((SELECT upto FROM list_blocks WHERE ${its} AND ${condition} ORDER BY upto DESC LIMIT 1), ${BEFORE_ALL})`,
  };
}

/** Returns the SQL condition that the row `as` is in a variant of the list. */
export function variantCondition(list: ListName, variant: string, as: string): RawBuilder<unknown> {
  const { by, variants }: CountedList = LISTS[list];
  if (by) return sql`${sql.ref(`${as}.${by}`)} = ${variant}`;
  const narrowed = variants?.[variant];
  if (narrowed === undefined) throw new Error(`${list} has no variant ${variant}`);
  return sql.raw(narrowed);
}
