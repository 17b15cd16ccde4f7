import { type Db, runPrepared } from "../db/database.ts";

/**
 * Compares a process's count of milliseconds with the shared one, and sets the shared one to the greater.
 *
 * @param ownMs `null` for a process that has not counted yet: it goes on from where the shared count must be by now
 * @returns the shared count
 */
export async function compareClocks(db: Db, ownMs: number | null, wallMs: number): Promise<number> {
  const rows = await runPrepared<{ ms: number }>(db, "compare-clocks", COMPARE, [ownMs, wallMs]);
  return rows[0]!.ms;
}

const COMPARE = `
INSERT INTO request_clock AS c (ms, wall_ms) VALUES (coalesce($1::float8, $2), $2::float8)
ON CONFLICT (one) DO UPDATE SET
  ms = greatest(c.ms, coalesce($1, c.ms + greatest($2 - c.wall_ms, 0))),
  wall_ms = $2
RETURNING ms, commit_later()`;
