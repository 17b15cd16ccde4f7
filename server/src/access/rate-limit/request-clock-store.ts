import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";

/**
 * Compares a process's millisecond count with the shared one, and sets the shared one to the greater.
 *
 * @param ownMs `null` for a process that has not counted yet: it continues from the shared count plus the wall-clock
 * time since then
 * @returns the shared count
 */
export async function compareClocks(db: Db, ownMs: number | null, wallMs: number): Promise<number> {
  const [row] = await runStatement(db, compare, { ownMs, wallMs });
  return row!.ms;
}

const compare = statement<{ ownMs: number | null; wallMs: number }, { ms: number }>(
  "compare-clocks",
  (p) => sql`
    INSERT INTO request_clock AS c (ms, wall_ms) VALUES (coalesce(${p.ownMs}::float8, ${p.wallMs}), ${p.wallMs}::float8)
    ON CONFLICT (one) DO UPDATE SET
      ms = greatest(c.ms, coalesce(${p.ownMs}, c.ms + greatest(${p.wallMs} - c.wall_ms, 0))),
      wall_ms = ${p.wallMs}
    RETURNING ms, commit_later()`,
);
