import { type CountedList, LISTS } from "../lists/lists.ts";

const BEFORE_ALL = "'00000000-0000-0000-0000-000000000000'::uuid";

/** A question for `invariants.ts`: the blocks of counted lists whose rows are not as many as the books say. */
export const MISCOUNTED_BLOCKS = Object.entries(LISTS)
  .map(([list, { key, where = "true", by, variants = {} }]: [string, CountedList]) => {
    const named = Object.entries(variants).map(([name, condition]) => `WHEN '${name}' THEN ${condition}`);
    const variant = `CASE b.variant WHEN '' THEN true ${named.join(" ")} ELSE ${by ? `t.${by} = b.variant` : "false"} END`;
    return `SELECT concat_ws(' ', '${list}', nullif(b.variant, ''), 'of tenant', b.tenant_id, 'up to', b.upto) AS what
      FROM (SELECT *, lag(upto) OVER (PARTITION BY tenant_id, variant ORDER BY upto) AS after
        FROM list_blocks WHERE list = '${list}') b
      WHERE b.size IS NOT NULL
        AND b.size + (SELECT coalesce(sum(c.change), 0) FROM list_changes c
          WHERE c.tenant_id = b.tenant_id AND c.list = b.list AND c.variant = b.variant
            AND c.at > coalesce(b.after, ${BEFORE_ALL}) AND c.at <= b.upto)
        <> (SELECT count(*) FROM ${list} t WHERE t.tenant_id = b.tenant_id
          AND t.${key} > coalesce(b.after, ${BEFORE_ALL}) AND t.${key} <= b.upto AND ${where} AND ${variant})`;
  })
  .join("\n      UNION ALL ");
