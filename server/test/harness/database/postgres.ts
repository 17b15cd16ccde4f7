/** The PostgreSQL server of a test run (`tools/with-postgres`), and databases on it. */
import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import { openDatabase } from "../../../src/db/database.ts";
import { migrations } from "../../../src/db/migrations/index.ts";
import { createLogger } from "../../../src/lib/logger.ts";

const serverUrl = process.env.MUSTER_TEST_DATABASE_URL;

/**
 * A condition that restricts `pg_locks` to this database. The view covers the whole cluster, where other tests'
 * databases have the same table ids.
 */
export const OF_THIS_DATABASE = "pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";

/** An arbitrary, fixed lock id: one test process creates the template while the others wait. */
const TEMPLATE_LOCK = 0x6d_75_74_70;

/** Whether this run uses PostgreSQL rather than the embedded database. */
export const onPostgres = serverUrl !== undefined && serverUrl !== "";

/**
 * Creates a database without our schema.
 * @returns its address
 */
export function createBare(): Promise<string> {
  return create("template0");
}

/**
 * Creates a database with our schema and no rows.
 * @returns its address
 */
export async function createMigrated(): Promise<string> {
  template ??= makeTemplate();
  return create(await template);
}

export async function drop(url: string): Promise<void> {
  await administer(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`);
}

/** Terminates every connection to the database at `url`, and waits until they have ended. */
export async function endConnections(url: string): Promise<void> {
  await administer(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`);
}

/** Sets whether new connections to the database at `url` are read-only. */
export async function setReadOnly(url: string, readOnly: boolean): Promise<void> {
  await administer(`ALTER DATABASE ${nameOf(url)} SET default_transaction_read_only = ${readOnly ? "on" : "off"}`);
}

/** Runs a statement on the database at `url`, on a separate connection. */
export async function ask<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A broken connection also rejects the pending query. Without a listener it would end the process.
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<Row>(statement).finally(() => client.end());
  return rows;
}

async function create(from: string): Promise<string> {
  const name = `muster_${randomUUID().replaceAll("-", "")}`;
  // The strategy `wal_log`, the default since PostgreSQL 15, takes twice as long.
  await administer(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY file_copy`);
  return urlOf(name);
}

let template: Promise<string> | undefined;

/** Migrating takes longer than copying a migrated database, so each server gets one template per schema. */
async function makeTemplate(): Promise<string> {
  const digest = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 16);
  const name = `muster_template_${digest}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) {
      // The final name marks a complete template: an interrupted run leaves only a draft.
      await client.query(`DROP DATABASE IF EXISTS ${name}_draft`);
      await client.query(`CREATE DATABASE ${name}_draft TEMPLATE template0`);
      const database = await openDatabase({
        url: urlOf(`${name}_draft`),
        dataDir: "memory",
        logger: createLogger("silent"),
      });
      await database.close();
      await client.query(`ALTER DATABASE ${name}_draft RENAME TO ${name}`);
    }
  } finally {
    await client.end();
  }
  return name;
}

const administer = (statement: string) => ask(serverUrl!, statement);

function urlOf(name: string): string {
  const url = new URL(serverUrl!);
  url.pathname = `/${name}`;
  return url.href;
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
