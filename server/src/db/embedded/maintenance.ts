import { CompiledQuery, sql } from "kysely";
import { analyzeGrown } from "../plans/statistics.ts";
import type { Db } from "../types.ts";

/** The bytes of log after which a checkpoint writes changed pages: about 2,000 pages, in about 50 ms. */
const LOG_BYTES = 16 * 1024 * 1024;
/**
 * The maximum interval between checkpoints while anything changes: a start after a crash replays the changes since the
 * last one.
 */
const CHECKPOINT_INTERVAL = sql.lit("5 minutes");
/** The pages of a table, including its indexes, that VACUUM cleans in about 50 ms. */
const SHORT_PAGES = 2_000;

/** The minimum interval between two runs of ANALYZE, which takes about 100 ms on a constantly changing table. */
const ANALYZE_INTERVAL = sql.lit("1 minute");

interface DueTable {
  name: string;
  /** Whether VACUUM has work to do. */
  obsolete: boolean;
  /** Whether VACUUM must run now, because of too many dead rows or old transaction ids. */
  urgent: boolean;
  /** Whether the statistics may be wrong. */
  stale: boolean;
  pages: number;
}

/**
 * Does the background work of a PostgreSQL server for an engine whose only session runs its statements: ANALYZE,
 * VACUUM and checkpoints. Each call does a little of it, in statements of their own, so that others get their turn in
 * between.
 *
 * @param isQuiet returns whether no statement runs or waits
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
 * Lists tables, including those of the catalog, that exceed autovacuum's default thresholds: a fifth of the rows
 * obsolete or new, a tenth changed since the last statistics, or transaction numbers close to exhaustion. The one with
 * the most obsolete rows comes first. A partitioned table has no rows of its own. The view pg_stat_all_tables would
 * take three times as long, and block other statements for that time.
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
