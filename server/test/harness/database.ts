import { createHash, randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { type Database, openDatabase } from "../../src/db/database.ts";
import { type Migration, migrations } from "../../src/db/migrations/index.ts";
import { createLogger } from "../../src/lib/logger.ts";

const serverUrl = process.env.MUSTER_TEST_DATABASE_URL;

/** Whether this run is on PostgreSQL (`tools/with-postgres`) rather than on the embedded database. */
export const onPostgres = serverUrl !== undefined && serverUrl !== "";

/** What to open an empty, migrated database of one test with, and how to remove it. */
export interface TestDatabase {
  url: string | undefined;
  snapshot: Blob | undefined;
  remove(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  if (!onPostgres) return { url: undefined, snapshot: await embeddedSnapshot(), remove: async () => undefined };
  const name = `muster_${randomUUID().replaceAll("-", "")}`;
  await administer(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl!);
  url.pathname = `/${name}`;
  return { url: url.href, snapshot: undefined, remove: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Opens a database of its own for a test that needs no server around it. Close it, then remove it. */
export async function openTestDatabase(): Promise<Database & { url: string | undefined; remove(): Promise<void> }> {
  const { url, snapshot, remove } = await testDatabase();
  const database = await openDatabase({ url, dataDir: "memory", snapshot, logger: createLogger("silent") });
  return { ...database, url, remove };
}

/** Has PostgreSQL end every connection to the database at `url`. */
export async function endConnections(url: string): Promise<void> {
  await administer(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`,
  );
}

/** Whether transactions of new connections to the database at `url` may only read. */
export async function setReadOnly(url: string, readOnly: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly ? "on" : "off"}`);
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Puts an empty, migrated embedded database into a data folder, for a service whose first start is not what is tested. */
export async function fillFolder(dataDir: string): Promise<void> {
  const database = await openDatabase({ dataDir, snapshot: await embeddedSnapshot(), logger: createLogger("silent") });
  await database.close();
}

const NO_SCHEMA: readonly Migration[] = [];
const snapshots = new Map<readonly Migration[], Promise<Blob>>();

/** An embedded database with nothing in it, not even our schema. */
export function bareSnapshot(): Promise<Blob> {
  return snapshotOf(NO_SCHEMA);
}

function embeddedSnapshot(): Promise<Blob> {
  return snapshotOf(migrations);
}

function snapshotOf(steps: readonly Migration[]): Promise<Blob> {
  const known = snapshots.get(steps) ?? loadSnapshot(steps);
  snapshots.set(steps, known);
  return known;
}

/** Making an embedded database takes seconds, loading a dump of it a fraction: dumped once per schema. */
async function loadSnapshot(steps: readonly Migration[]): Promise<Blob> {
  const version = JSON.stringify([process.versions.node, SEGMENTS_OF_1_MB, SMALL, steps]);
  const digest = createHash("sha256").update(version).digest("hex").slice(0, 16);
  const file = join(tmpdir(), `muster-test-database-${digest}.tar`);
  const cached = await readFile(file).catch(() => undefined);
  if (cached) return new Blob([new Uint8Array(cached)]);
  const dump = await dumpOf(steps);
  // Several processes may be making it at once: each writes a file of its own, and the last one stays.
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, new Uint8Array(await dump.arrayBuffer()));
  await rename(aside, file);
  return dump;
}

/** What an empty database holds beside the schema is loaded anew for every test: a third of the size, half of the time. */
const SEGMENTS_OF_1_MB = ["--wal-segsize=1"];
const SMALL = [
  "ALTER SYSTEM SET shared_buffers = '8MB'",
  "ALTER SYSTEM SET min_wal_size = '2MB'",
  "UPDATE pg_database SET datistemplate = false",
  "DROP DATABASE template0",
  "DROP DATABASE template1",
  "CHECKPOINT",
];

async function dumpOf(steps: readonly Migration[]): Promise<Blob> {
  const pglite = await PGlite.create({ initDbStartParams: SEGMENTS_OF_1_MB });
  for (const step of steps) await pglite.exec(step.sql);
  if (steps.length > 0)
    await pglite.exec("CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL)");
  for (const { number, name } of steps)
    await pglite.query("INSERT INTO schema_migrations VALUES ($1, $2)", [number, name]);
  for (const statement of SMALL) await pglite.exec(statement);
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  return dump;
}
