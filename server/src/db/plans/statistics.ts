import { CompiledQuery, sql } from "kysely";
import type { Db } from "../types.ts";

/** Rows that ANALYZE samples are 300 times this: with PostgreSQL's default of 100, a large table would take a tenth of a second. */
const TARGET = CompiledQuery.raw("SET LOCAL default_statistics_target = 20");

/** Readers of events wait for the transaction. */
const MOST_TOGETHER = 16;

/**
 * Runs ANALYZE on the tables that are new to the planner, or have doubled since it looked. Without statistics it takes a condition such as
 * `deleted_at IS NULL` for a rare one and reads the whole index that has it, and the plans of prepared statements, functions and
 * foreign keys stay as they are until the next ANALYZE: at the first rows, autovacuum may be a minute away.
 *
 * A role that does not own the tables skips them, with a warning of PostgreSQL's.
 *
 * @param inSteps a transaction for each table, for an engine of one session. Otherwise many are in one: at each commit every connection plans again what it has
 *   prepared for one of the tables, which cost more than the statements while a fleet enrolled on a fresh database
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
