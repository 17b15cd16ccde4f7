import { sql } from "kysely";
import type { Pools } from "../lib/limits/pools.ts";
import type { Logger } from "../lib/logger.ts";
import { openEmbedded } from "./embedded/embedded.ts";
import { appliedNumber, migrate, SCHEMA_NUMBER } from "./migrate.ts";
import { openPostgres, type PostgresOptions } from "./postgres.ts";
import type { Database, Db, TimeLimits } from "./types.ts";

export type { Database, Db, TimeLimits, Tx, Unlisten } from "./types.ts";

export interface DatabaseOptions {
  /** The PostgreSQL address; absent for the embedded database in `dataDir`. */
  url?: string | undefined;
  /** The address for LISTEN and migrations, if `url` leads through PgBouncer in transaction mode. */
  directUrl?: string | undefined;
  /** The folder of the embedded database, or `memory` in tests. */
  dataDir: string;
  /** A dump of a data folder from which the embedded database starts. */
  snapshot?: Blob | undefined;
  /** Whether a commit of the embedded database waits for the disk; it does unless this is `false`. */
  embeddedSync?: boolean | undefined;
  /** PostgreSQL time limits other than those of a service, for tests in which time does not matter. */
  timeLimits?: TimeLimits | undefined;
  /** The number of PostgreSQL connections that this process may open. */
  pools?: Pools | undefined;
  logger: Logger;
  /** Receives the duration of each statement in seconds, including failed ones. */
  observe?: ((seconds: number) => void) | undefined;
}

/** Opens the database and migrates its schema. @throws Error if it is unreachable or too new */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url && options.directUrl) await migrateDirectly(options.directUrl, options);
  const database = options.url
    ? await openPostgres(options.url, options)
    : await openEmbedded({ ...options, sync: options.embeddedSync ?? true });
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Opens a PostgreSQL database that this process only reads, in transactions of its own, and does not migrate it.
 *
 * @throws Error if it is unreachable, or has a schema other than this version's
 */
export async function openForReading(
  url: string,
  options: Pick<PostgresOptions, "logger" | "timeLimits" | "setting">,
): Promise<Database> {
  const database = await openPostgres(url, { ...options, pools: { main: 1, ingest: 1, connects: 1 } });
  const applied = await appliedNumber(database).catch((error) => error as Error);
  if (applied === SCHEMA_NUMBER) return database;
  await database.close();
  if (applied instanceof Error) throw applied;
  const has = applied === 0 ? "is not a Muster database" : `is at schema ${applied}`;
  throw new Error(
    `the database in ${options.setting} ${has}, and this version reads schema ${SCHEMA_NUMBER}: use the version that last ran on it`,
  );
}

/** Migrates over a direct connection: a migration takes longer than a pooler permits its clients. */
async function migrateDirectly(url: string, { logger, timeLimits }: DatabaseOptions): Promise<void> {
  const setting = "MUSTER_DATABASE_DIRECT_URL";
  const direct = await openPostgres(url, { logger, timeLimits, setting, pools: { main: 1, ingest: 1, connects: 1 } });
  await migrate(direct).finally(() => direct.close());
}

/** Sends a NOTIFY, which is delivered to every listener once the surrounding transaction has committed. */
export async function notify(db: Db, channel: string, payload: string): Promise<void> {
  await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db);
}
