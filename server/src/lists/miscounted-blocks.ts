import { type RawBuilder, sql } from "kysely";
import { BEFORE_ALL } from "./list-scope.ts";
import { type CountedList, LISTS, type ListName } from "./lists.ts";

/**
 * Returns a SELECT of one text column `what`: every block of every list and tenant whose count does not match its rows.
 * For `muster doctor`.
 */
export function miscountedBlocks(): RawBuilder<unknown> {
  const lists = Object.keys(LISTS) as ListName[];
  return sql.join(lists.map(miscountedBlocksOf), sql` UNION ALL `);
}

/**
 * Returns a SELECT of a list's blocks whose size, with the changes not yet added, differs from the number of rows
 * between their bounds.
 */
function miscountedBlocksOf(list: ListName): RawBuilder<unknown> {
  const { key: column, where = "true" }: CountedList = LISTS[list];
  const key = sql.ref(`t.${column}`);
  return sql`SELECT concat_ws(' ', ${list}::text, nullif(b.variant, ''), 'of tenant', b.tenant_id, 'up to', b.upto) AS what
    FROM (SELECT *, lag(upto) OVER (PARTITION BY tenant_id, variant ORDER BY upto) AS after
      FROM list_blocks WHERE list = ${list}) b
    WHERE b.size IS NOT NULL
      AND b.size + (SELECT coalesce(sum(c.change), 0) FROM list_changes c
        WHERE c.tenant_id = b.tenant_id AND c.list = b.list AND c.variant = b.variant
          AND c.at > coalesce(b.after, ${BEFORE_ALL}) AND c.at <= b.upto)
      <> (SELECT count(*) FROM ${sql.table(list)} t WHERE t.tenant_id = b.tenant_id
        AND ${key} > coalesce(b.after, ${BEFORE_ALL}) AND ${key} <= b.upto AND ${sql.raw(where)} AND ${inVariant(list)})`;
}

/** Returns the condition that a row `t` of the list is in the variant of the block `b`. */
function inVariant(list: ListName): RawBuilder<boolean> {
  const { by, variants = {} }: CountedList = LISTS[list];
  const named = Object.entries(variants).map(([name, condition]) => sql`WHEN ${name} THEN ${sql.raw(condition)}`);
  const byColumn = by === undefined ? sql`false` : sql`${sql.ref(`t.${by}`)} = b.variant`;
  return sql`CASE b.variant WHEN '' THEN true ${sql.join(named, sql` `)} ELSE ${byColumn} END`;
}
