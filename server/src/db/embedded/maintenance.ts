import { CompiledQuery, sql } from "kysely";
import { analyzeGrown } from "../plans/statistics.ts";
import type { Db } from "../types.ts";

/** Bytes of log after which a checkpoint writes changed pages: some 2,000 of them, for about 50 ms. */
const LOG_BYTES = 16 * 1024 * 1024;
/** Longest time between checkpoints while anything changes: a start after a crash repeats the changes since the last one. */
const CHECKPOINT_INTERVAL = sql.lit("5 minutes");
/** Pages of a table, with its indexes, that VACUUM cleans in about 50 ms. */
const SHORT_PAGES = 2_000;

/** ANALYZE of a table that is changed all the time takes some 100 ms. */
const ANALYZE_INTERVAL = sql.lit("1 minute");

interface DueTable {
  name: string;
  /** Whether VACUUM has something to do. */
  obsolete: boolean;
  /** Whether no more obsolete rows or transactions may wait for a quiet moment. */
  urgent: boolean;
  /** Whether its statistics may be wrong. */
  stale: boolean;
  pages: number;
}

/**
 * What a PostgreSQL server does in the background, for an engine that has only the session of its statements: ANALYZE, VACUUM and
 * checkpoints. Each call does a little of it, in statements of their own, so that others get their turn in between.
 *
 * @param isQuiet whether no statement runs or waits
 */
export async function maintainEngine(db: Db, isQuiet: () => boolean): Promise<void> {
  await analyzeGrown(db, { inSteps: true });
  const due = await dueTables(db);
  const vacuumed = due.find((table) => table.obsolete && (table.urgent || table.pages <= SHORT_PAGES || isQuiet()));
  if (vacuumed !== undefined) await run(db, `VACUUM (TRUNCATE false) ${vacuumed.name}`);
  const stale = due.find((table) => table.stale);
  if (stale !== undefined) await run(db, `ANALYZE ${stale.name}`);
  if (await isCheckpointDue(db)) await run(db, "CHECKPOINT");
}

/**
 * Tables, also those of the catalog, by autovacuum's default thresholds: a fifth of the rows obsolete or new, a tenth changed since the
 * last statistics, or transaction numbers that will be used up. The one with most obsolete rows comes first. A partitioned table has no
 * rows of its own. The view pg_stat_all_tables would take three times as long, and nothing else is stored meanwhile.
 */
async function dueTables(db: Db): Promise<DueTable[]> {
  const { rows } = await sql<DueTable>`
    SELECT t.name, t.pages, t.unused > 1000 + 0.5 * t.rows OR t.age > 180000000 AS urgent,
           t.unused > 50 + 0.2 * t.rows OR t.inserted > 1000 + 0.2 * t.rows OR t.age > 150000000 AS obsolete,
           t.kind = 'r' AND t.changed > 50 + 0.1 * t.rows
             AND coalesce(t.analyzed < now() - interval ${ANALYZE_INTERVAL}, true) AS stale
      FROM (SELECT c.oid::regclass::text AS name, c.relkind AS kind, s.unused, s.inserted, s.changed,
                   greatest(c.reltuples, 0) AS rows, age(c.relfrozenxid) AS age,
                   pg_stat_get_last_analyze_time(c.oid) AS analyzed,
                   (pg_total_relation_size(c.oid) / current_setting('block_size')::int)::int AS pages
              FROM pg_class c,
                   LATERAL (SELECT pg_stat_get_dead_tuples(c.oid) AS unused,
                                   pg_stat_get_ins_since_vacuum(c.oid) AS inserted,
                                   pg_stat_get_mod_since_analyze(c.oid) AS changed OFFSET 0) s
             WHERE c.relkind IN ('r', 't', 'm')
               AND (s.unused > 50 OR s.inserted > 1000 OR s.changed > 50 OR age(c.relfrozenxid) > 150000000)) t
     ORDER BY t.unused DESC`.execute(db);
  return rows;
}

async function isCheckpointDue(db: Db): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    SELECT log > ${LOG_BYTES} OR (log > 1000 AND checkpoint_time < now() - interval ${CHECKPOINT_INTERVAL}) AS due
      FROM (SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) AS log, checkpoint_time
              FROM pg_control_checkpoint()) c`.execute(db);
  return rows[0]!.due;
}

async function run(db: Db, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement));
}
