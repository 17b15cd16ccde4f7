import { type Kysely, sql } from "kysely";
import { type Migration, migrations } from "./migrations/index.ts";
import { readWholeTables } from "./plans/planner.ts";
import type { Schema } from "./schema.generated.ts";
import type { Database } from "./types.ts";

/** An arbitrary constant: the advisory lock under which one process migrates while the others wait. */
const MIGRATION_LOCK = 0x6d_75_73_74;

/**
 * Brings the schema up to `upTo` (default: the newest), all in one transaction under a lock.
 *
 * @throws Error when the database was written by a newer version than this
 */
export async function migrate(database: Pick<Database, "db">, upTo = migrations.length): Promise<void> {
  await database.db.transaction().execute(async (tx) => {
    // Before the lock: another process may migrate for longer than a request's time limit.
    await readWholeTables(tx);
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
    await sql`CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL)`.execute(
      tx,
    );
    const applied = await appliedNumber(tx);
    if (applied > migrations.length) {
      throw new Error(
        `the database is at schema ${applied}, this version knows only ${migrations.length}: run the newer version`,
      );
    }
    for (const step of migrations.slice(applied, upTo)) await apply(tx, step);
  });
}

async function appliedNumber(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ newest: number | null }>`SELECT max(number) AS newest FROM schema_migrations`.execute(
    db,
  );
  return rows[0]?.newest ?? 0;
}

async function apply(db: Kysely<Schema>, step: Migration): Promise<void> {
  for (const statement of statements(step.sql)) await sql.raw(statement).execute(db);
  await sql`INSERT INTO schema_migrations VALUES (${step.number}, ${step.name})`.execute(db);
}

/** Splits at semicolons outside dollar-quoted bodies: the extended protocol takes one statement per call. */
export function statements(text: string): string[] {
  return text
    .split(/(\$\$[\s\S]*?\$\$)/)
    .reduce<string[]>(
      (parts, piece, index) => {
        const pieces = index % 2 === 1 ? [piece] : piece.split(/;\s*$/m);
        parts.push(parts.pop()! + pieces[0]!, ...pieces.slice(1));
        return parts;
      },
      [""],
    )
    .map((statement) => statement.trim())
    .filter((statement) => statement.length > 0);
}
