import { unlessEnded } from "../interrupt.ts";
import { startPostgres } from "../peers/postgres.ts";
import { manySessions } from "../rows/many-sessions.ts";
import { add, available } from "../run.ts";

/** What becomes of very many sessions at once, in the tables of PostgreSQL. */
export async function manySessionsOnPostgres(): Promise<void> {
  const postgres = await available("no many-sessions", startPostgres);
  if (postgres === undefined) return;
  try {
    add(await unlessEnded(manySessions(await postgres.createDatabase("sessions"))));
  } finally {
    await postgres.stop();
  }
}
