import { unlessEnded } from "../interrupt.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Figure } from "../report.ts";
import { manySessions } from "../rows/many-sessions.ts";
import { millionJobs } from "../rows/million-jobs.ts";
import { add, available } from "../run.ts";

/** What becomes of very many sessions at once, in the tables of PostgreSQL. */
export async function manySessionsOnPostgres(): Promise<void> {
  await onTables("many-sessions", (url) => manySessions(url));
}

/** What the periodic jobs cost PostgreSQL with very many devices. */
export async function millionJobsOnPostgres(): Promise<void> {
  await onTables("million-jobs", millionJobs);
}

async function onTables(
  row: string,
  measure: (url: string, databaseMs: () => number) => Promise<Figure[]>,
): Promise<void> {
  const postgres = await available(`no ${row}`, startPostgres);
  if (postgres === undefined) return;
  try {
    add(await unlessEnded(measure(await postgres.createDatabase("tables"), postgres.cpuMs)));
  } finally {
    await postgres.stop();
  }
}
