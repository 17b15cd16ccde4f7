import { CompiledQuery, sql } from "kysely";
import type { Db } from "../types.ts";

/**
 * The sample size of ANALYZE, in units of 300 rows: with PostgreSQL's default of 100, a large table would take a tenth
 * of a second.
 */
const TARGET = CompiledQuery.raw("SET LOCAL default_statistics_target = 20");

/** The maximum number of tables per transaction. Readers of events wait for the end of the transaction. */
const MOST_TOGETHER = 16;

/**
 * Runs ANALYZE on tables that are new to the planner, or have doubled since the last run. Without statistics the
 * planner takes a condition such as `deleted_at IS NULL` for a selective one and reads the whole index on it, and the
 * plans of prepared statements, functions and foreign keys stay the same until the next ANALYZE. After the first rows,
 * autovacuum may be a minute away.
 *
 * A role that does not own the tables skips them, with a warning from PostgreSQL.
 *
 * @param inSteps uses a transaction per table, for an engine with one session. Otherwise a transaction covers many
 *   tables: at each commit every connection replans its prepared statements on the analyzed tables, which cost more
 *   than the statements themselves while a fleet enrolled on a new database
 */
export async function analyzeGrown(db: Db, { inSteps }: { inSteps: boolean }): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT quote_ident(c.relname) AS name FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
       AND pg_relation_size(c.oid) >= current_setting('block_size')::int
           * CASE WHEN c.reltuples < 0 THEN 1 ELSE 2 * greatest(c.relpages, 1) END`.execute(db);
  const together = inSteps ? 1 : MOST_TOGETHER;
  for (let at = 0; at < rows.length; at += together) {
    await db.transaction().execute(async (tx) => {
      await tx.executeQuery(TARGET);
      for (const { name } of rows.slice(at, at + together)) {
        await tx.executeQuery(CompiledQuery.raw(`ANALYZE (SKIP_LOCKED) ${name}`));
      }
    });
  }
}
