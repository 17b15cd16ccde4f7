import { sql } from "kysely";
import { buildIndexes } from "./migrate/build-indexes.ts";
import { withMigrationLock, withTableLocks } from "./migrate/locks.ts";
import { type Migration, migrations } from "./migrations/index.ts";
import { readWholeTables } from "./plans/planner.ts";
import type { Database, Db } from "./types.ts";

/** The newest step that this version knows. */
export const SCHEMA_NUMBER = migrations.length;

/**
 * Brings the schema up to `upTo` (default: the newest), under a lock: a step and its record in one transaction, so that a step which fails leaves those
 * before it applied, and the next start continues with it. A new database gets all steps in one transaction. A schema that is there already is only read:
 * the service may run as a role that can change no table.
 *
 * @throws Error when the database was written by a newer version than this, when this role may not migrate it, or when other sessions do not release the
 *   tables that a step changes
 */
export async function migrate(database: Pick<Database, "db" | "kind">, upTo = migrations.length): Promise<void> {
  const applied = await appliedNumber(database.db);
  if (applied >= upTo) return requireKnown(applied);
  await withMigrationLock(database.db, (connection) => applyMissing(connection, database.kind, upTo)).catch((error) => {
    if ((error as { code?: string }).code !== NOT_PERMITTED) throw error;
    const message = `the database is at schema ${applied} and this version needs ${upTo}, which its role may not change: run muster migrate as the owner of the tables`;
    throw new Error(message, { cause: error });
  });
}

/** SQLSTATE insufficient_privilege. */
const NOT_PERMITTED = "42501";

async function applyMissing(connection: Db, kind: Database["kind"], upTo: number): Promise<void> {
  const applied = await appliedNumber(connection);
  requireKnown(applied);
  const missing = migrations.slice(applied, upTo);
  if (applied === 0) return await applyToNew(connection, missing);
  for (const step of missing) {
    // The embedded database has one session: nothing else writes.
    if (kind === "postgres") await buildIndexes(connection, step.indexes ?? []);
    await withTableLocks(connection, `step ${step.number}, ${step.name}`, (tx) => apply(tx, step));
  }
}

async function applyToNew(connection: Db, steps: readonly Migration[]): Promise<void> {
  await connection.transaction().execute(async (tx) => {
    await readWholeTables(tx);
    await sql`CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL)`.execute(
      tx,
    );
    for (const step of steps) await apply(tx, step);
  });
}

function requireKnown(applied: number): void {
  if (applied <= migrations.length) return;
  throw new Error(
    `the database is at schema ${applied}, this version knows only ${migrations.length}: run the newer version`,
  );
}

/** The newest step that was applied; 0 for a database without a schema of ours. */
export async function appliedNumber(db: Db): Promise<number> {
  const { rows: known } = await sql<{ known: boolean }>`
    SELECT to_regclass('schema_migrations') IS NOT NULL AS known`.execute(db);
  if (!known[0]!.known) return 0;
  const { rows } = await sql<{ newest: number | null }>`SELECT max(number) AS newest FROM schema_migrations`.execute(
    db,
  );
  return rows[0]?.newest ?? 0;
}

async function apply(db: Db, step: Migration): Promise<void> {
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
