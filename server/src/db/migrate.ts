import { type Kysely, sql } from "kysely";
import { type Migration, migrations } from "./migrations/index.ts";
import { readWholeTables } from "./plans/planner.ts";
import type { Schema } from "./schema.generated.ts";
import type { Database, Tx } from "./types.ts";

/** An arbitrary constant: the advisory lock under which one process migrates while the others wait. */
const MIGRATION_LOCK = 0x6d_75_73_74;

/** The newest step that this version knows. */
export const SCHEMA_NUMBER = migrations.length;

/**
 * Brings the schema up to `upTo` (default: the newest), all in one transaction under a lock. A schema that is there already is only read:
 * the service may run as a role that can change no table.
 *
 * @throws Error when the database was written by a newer version than this, or when this role may not migrate it
 */
export async function migrate(database: Pick<Database, "db">, upTo = migrations.length): Promise<void> {
  const applied = await appliedNumber(database.db);
  if (applied >= upTo) return requireKnown(applied);
  await database.db
    .transaction()
    .execute((tx) => applyMissing(tx, upTo))
    .catch((error) => {
      if ((error as { code?: string }).code !== NOT_PERMITTED) throw error;
      const message = `the database is at schema ${applied} and this version needs ${upTo}, which its role may not change: run muster migrate as the owner of the tables`;
      throw new Error(message, { cause: error });
    });
}

/** SQLSTATE insufficient_privilege. */
const NOT_PERMITTED = "42501";

async function applyMissing(tx: Tx, upTo: number): Promise<void> {
  // Before the lock: another process may migrate for longer than a request's time limit.
  await readWholeTables(tx);
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL)`.execute(tx);
  const applied = await appliedNumber(tx);
  requireKnown(applied);
  for (const step of migrations.slice(applied, upTo)) await apply(tx, step);
}

function requireKnown(applied: number): void {
  if (applied <= migrations.length) return;
  throw new Error(
    `the database is at schema ${applied}, this version knows only ${migrations.length}: run the newer version`,
  );
}

/** 0 for a database without a schema of ours. */
async function appliedNumber(db: Kysely<Schema>): Promise<number> {
  const { rows: known } = await sql<{ known: boolean }>`
    SELECT to_regclass('schema_migrations') IS NOT NULL AS known`.execute(db);
  if (!known[0]!.known) return 0;
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
