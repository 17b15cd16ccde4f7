import { type Db, runPrepared } from "../db/database.ts";

/** A key's request window after one more request asked to pass. Times are milliseconds on the key's own clock. */
export interface WindowRow {
  now_ms: number;
  passed: boolean;
  used: number;
  oldest_ms: number | null;
}

/**
 * Lets one request of a key pass, or not, in one statement on the key's row, so that all processes share the window.
 *
 * The row carries a clock of its own that never runs backwards and never faster than time: a process that has seen the
 * key before says where that clock must be by now (`expectedMs`, counted on its steady clock); only one that has not
 * goes by the wall clock (`wallMs`), and a wall clock that stepped back counts as no time at all.
 */
export async function passWindow(
  db: Db,
  keyId: string,
  expectedMs: number | null,
  wallMs: number,
  limit: number,
  windowMs: number,
): Promise<WindowRow> {
  const rows = await runPrepared<WindowRow>(db, "admit-request", PASS, [keyId, expectedMs, wallMs, limit, windowMs]);
  return rows[0]!;
}

// The conflict branch reads nothing but the locked row, so two requests at once are judged one after the other.
const PASS = `
INSERT INTO api_key_windows AS w (key_id, now_ms, wall_ms, passed, times)
VALUES ($1, 0, $3::float8, true, ARRAY[0::float8])
ON CONFLICT (key_id) DO UPDATE SET (now_ms, wall_ms, passed, times) = (
  SELECT at, $3::float8, cardinality(recent) < $4::int,
         CASE WHEN cardinality(recent) < $4::int THEN recent || at ELSE recent END
    FROM (SELECT greatest(w.now_ms, coalesce($2::float8, w.now_ms + greatest($3::float8 - w.wall_ms, 0))) AS at) AS clock
   CROSS JOIN LATERAL (
     SELECT coalesce(array_agg(t ORDER BY t), '{}') AS recent FROM unnest(w.times) AS t WHERE t > at - $5::float8
   ) AS kept
)
RETURNING now_ms, passed, cardinality(times) AS used, times[1] AS oldest_ms`;
