import { type RawBuilder, sql } from "kysely";
import { type CountedList, LISTS, type ListName } from "./lists.ts";

/** SQL of one list of one tenant, whole or narrowed to a variant. Its rows are called `t`. */
export interface ListScope {
  /** Names it among all: for the lock of who tends it. */
  readonly name: string;
  readonly table: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown>;
  /** Values of `tenant_id, list, variant`, and the condition that picks them in `list_blocks` and `list_changes`. */
  readonly identity: RawBuilder<unknown>;
  readonly its: RawBuilder<unknown>;
  /** The `upto` of the newest of its blocks that meet `condition`; before all keys where there is none. */
  newestBlock(condition: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The condition of a row of this list with a key in (after, upto]. */
  within(after: RawBuilder<unknown>, upto: RawBuilder<unknown>): RawBuilder<unknown>;
  order(direction: "ASC" | "DESC"): RawBuilder<unknown>;
}

export const BEFORE_ALL = sql`'00000000-0000-0000-0000-000000000000'::uuid`;
export const AFTER_ALL = sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/**
 * Ranges and order are written over the whole index `(tenant_id, …, key)`, as rows: so only that index fits. With
 * `tenant_id = … ORDER BY id` the planner may walk the primary key through everybody else's rows.
 */
export function listScope(list: ListName, variant: string, tenantId: string): ListScope {
  const { key, where, by, variants }: CountedList = LISTS[list];
  if (variant !== "" && !by && variants?.[variant] === undefined) throw new Error(`${list} has no variant ${variant}`);
  const byStatus = variant !== "" && by !== undefined;
  const columns = ["tenant_id", ...(byStatus ? [by] : []), key].map((name) => sql.ref(`t.${name}`));
  const leading = [sql`${tenantId}::uuid`, ...(byStatus ? [sql`${variant}::text`] : [])];
  const conditions = [where, variants?.[variant]].flatMap((text) =>
    text === undefined ? [] : [sql` AND ${sql.raw(text)}`],
  );
  const row = sql`(${sql.join(columns)})`;
  const at = (uuid: RawBuilder<unknown>) => sql`(${sql.join([...leading, uuid])})`;
  const its = sql`tenant_id = ${tenantId}::uuid AND list = ${list} AND variant = ${variant}`;
  return {
    name: `${list} ${variant} ${tenantId}`,
    table: sql`${sql.table(list)} t`,
    key: sql.ref(`t.${key}`),
    identity: sql`${tenantId}::uuid, ${list}::text, ${variant}::text`,
    its,
    newestBlock: (condition) =>
      sql`coalesce((SELECT upto FROM list_blocks WHERE ${its} AND ${condition} ORDER BY upto DESC LIMIT 1), ${BEFORE_ALL})`,
    within: (after, upto) => sql`${row} > ${at(after)} AND ${row} <= ${at(upto)}${sql.join(conditions, sql``)}`,
    order: (direction) => sql.join(columns.map((column) => sql`${column} ${sql.raw(direction)}`)),
  };
}
