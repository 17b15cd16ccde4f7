import { sql } from "kysely";
import { buildIndexes } from "./migrate/build-indexes.ts";
import { withMigrationLock, withTableLocks } from "./migrate/locks.ts";
import { type Migration, migrations } from "./migrations/index.ts";
import { readWholeTables } from "./plans/planner.ts";
import type { Database, Db } from "./types.ts";

/** The newest step that this version knows. */
export const SCHEMA_NUMBER = migrations.length;

type Migrated = Pick<Database, "db" | "kind">;

/**
 * Brings the schema up to date under a lock. Each step and its record are one transaction, so a step that fails leaves
 * the steps before it applied, and the next start continues with it. A new database gets all steps in one transaction.
 * A current schema is only read: the service may run as a role that can change no table.
 *
 * @param steps other than those of this version, in tests
 * @throws Error when a version before 1.0 or a newer version than this wrote the database, when this role may not
 *   migrate it, or when other sessions do not release the tables that a step changes
 */
export async function migrate(database: Migrated, steps = migrations): Promise<void> {
  const applied = await appliedNumber(database);
  if (applied >= steps.length) return requireKnown(applied, steps);
  await withMigrationLock(database.db, (connection) => applyMissing({ ...database, db: connection }, steps)).catch(
    (error) => {
      if ((error as { code?: string }).code !== NOT_PERMITTED) throw error;
      const message = `the database is at schema ${applied} and this version needs ${steps.length}, which its role may not change: run muster migrate as the owner of the tables`;
      throw new Error(message, { cause: error });
    },
  );
}

/** The SQLSTATE insufficient_privilege. */
const NOT_PERMITTED = "42501";

async function applyMissing(database: Migrated, steps: readonly Migration[]): Promise<void> {
  const { db, kind } = database;
  const applied = await appliedNumber(database);
  requireKnown(applied, steps);
  const missing = steps.slice(applied);
  if (applied === 0) return await applyToNew(db, missing);
  for (const step of missing) {
    // The embedded database has one session: nothing else writes.
    if (kind === "postgres") await buildIndexes(db, step.indexes ?? []);
    await withTableLocks(db, `step ${step.number}, ${step.name}`, (tx) => apply(tx, step));
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

function requireKnown(applied: number, steps: readonly Migration[]): void {
  if (applied <= steps.length) return;
  throw new Error(
    `the database is at schema ${applied}, this version knows only ${steps.length}: run the newer version`,
  );
}

/**
 * Returns the number of the newest applied step; 0 for a database without a Muster schema.
 *
 * @throws Error if a version before 1.0 wrote the database
 */
export async function appliedNumber({ db, kind }: Migrated): Promise<number> {
  const { rows: known } = await sql<{ known: boolean }>`
    SELECT to_regclass('schema_migrations') IS NOT NULL AS known`.execute(db);
  if (!known[0]!.known) return 0;
  const { rows } = await sql<{ newest: number | null; first: string | null }>`
    SELECT max(number) AS newest, max(name) FILTER (WHERE number = 1) AS first FROM schema_migrations`.execute(db);
  const { newest, first } = rows[0]!;
  if (newest !== null && first !== migrations[0]!.name) throw beforeBaseline(kind);
  return newest ?? 0;
}

function beforeBaseline(kind: Database["kind"]): Error {
  const what = kind === "postgres" ? "database" : "data folder";
  return new Error(`This ${what} was made by a version before 1.0, which was never released; start with an empty one`);
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
