import { sql } from "kysely";
import { withoutTimeLimit } from "../time-limit.ts";
import type { Db } from "../types.ts";

/**
 * Builds the indexes that do not exist yet, on PostgreSQL, while other processes write their tables. Each takes as long
 * as PostgreSQL reads the table twice and the transactions last that have begun before.
 *
 * @param indexes as they follow CREATE INDEX
 */
export async function buildIndexes(connection: Db, indexes: readonly string[]): Promise<void> {
  if (indexes.length === 0) return;
  await withoutTimeLimit(connection, async () => {
    for (const index of indexes) {
      await dropUnfinished(connection, index.split(" ", 1)[0]!);
      await sql.raw(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${index}`).execute(connection);
    }
  });
}

/** Drops the invalid index that an interrupted build left, which PostgreSQL maintains but never reads. */
async function dropUnfinished(connection: Db, name: string): Promise<void> {
  const { rows } = await sql`SELECT FROM pg_index WHERE indexrelid = to_regclass(${name}) AND NOT indisvalid`.execute(
    connection,
  );
  if (rows.length > 0) await sql`DROP INDEX CONCURRENTLY ${sql.ref(name)}`.execute(connection);
}
