import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { migrate } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openPostgres } from "../../src/db/postgres.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { bareDatabase } from "./database.ts";

/** Tables with rows of their own; a partitioned one for all of its partitions. */
const TABLES = `
SELECT c.oid::regclass::text AS name FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND c.relname <> 'schema_migrations'`;

/** Partitions that hold rows, which the service makes as it stores. */
const PARTITIONS = `
SELECT c.oid::regclass::text AS name, i.inhparent::regclass::text AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound
  FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relispartition AND c.relkind = 'r'`;

const SEQUENCES = "SELECT quote_ident(sequencename) AS name, last_value FROM pg_sequences WHERE last_value IS NOT NULL";

/** Copies the embedded database in `dataDir`, at its schema, into a new PostgreSQL database, as pg_dump and pg_restore would. */
export async function copyToPostgres(dataDir: string): Promise<{ url: string; remove(): Promise<void> }> {
  const { url, remove } = await bareDatabase();
  const source = await PGlite.create({ dataDir: join(dataDir, "postgres") });
  const target = new pg.Client({ connectionString: url });
  await target.connect();
  try {
    await migrateAs(source, url!);
    await copyRows(source, target);
  } finally {
    await target.end();
    await source.close();
  }
  return { url: url!, remove };
}

async function migrateAs(source: PGlite, url: string): Promise<void> {
  const { rows } = await source.query<{ number: number }>("SELECT max(number) AS number FROM schema_migrations");
  const database = await openPostgres(url, { logger: createLogger("silent") });
  await migrate(database, migrations.slice(0, rows[0]!.number));
  await database.close();
}

async function copyRows(source: PGlite, target: pg.Client): Promise<void> {
  // Neither triggers nor foreign keys: the rows come as they were, in any order.
  await target.query("SET session_replication_role = replica");
  for (const { name, parent, bound } of (await source.query<Record<string, string>>(PARTITIONS)).rows) {
    await target.query(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${parent} ${bound}`);
  }
  for (const { name } of (await source.query<{ name: string }>(TABLES)).rows) {
    const { rows } = await source.query<{ all: string }>(
      `SELECT coalesce(json_agg(t), '[]')::text AS all FROM ${name} t`,
    );
    await target.query(`DELETE FROM ${name}`);
    await target.query(
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
      [rows[0]!.all],
    );
  }
  for (const { name, last_value } of (await source.query<Record<string, string>>(SEQUENCES)).rows) {
    await target.query(`SELECT setval('${name}', ${last_value})`);
  }
}
