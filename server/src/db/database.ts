import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import type { Logger } from "../lib/logger.ts";
import { openEmbedded } from "./embedded.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import type { Schema } from "./schema.ts";

/** A connection to run statements on: the pool or one transaction of it. Store functions take it first. */
export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** Stops listening. */
export type Unlisten = () => Promise<void>;

/**
 * The database of one process: PostgreSQL over a pool, or PostgreSQL in WebAssembly (PGlite) in this process.
 * Both speak the same SQL; nothing above this folder knows which it is.
 */
export interface Database {
  readonly kind: "embedded" | "postgres";
  readonly db: Db;
  /** A share of connections kept for judging MQTT connects, so that other load never starves them. */
  readonly connects: Db;
  /** Calls `handler` for every NOTIFY on `channel`, from this or any other process, until unlistened. */
  listen(channel: string, handler: (payload: string) => void): Promise<Unlisten>;
  /** Whether a trivial statement succeeds within two seconds. */
  healthy(): Promise<boolean>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** PostgreSQL address; absent for the embedded database in `dataDir`. */
  url?: string | undefined;
  /** Folder of the embedded database, or `memory` in tests. */
  dataDir: string;
  /** A dumped data folder to start the embedded database from (tests). */
  snapshot?: Blob | undefined;
  logger: Logger;
}

/** Opens the database and brings its schema up to date. Throws when it is unreachable or too new. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = options.url
    ? await openPostgres(options.url, options.logger)
    : await openEmbedded(options.dataDir, options.snapshot);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** NOTIFY, delivered to every listener once the surrounding transaction has committed. */
export async function notify(db: Db, channel: string, payload: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw("SELECT pg_notify($1, $2)", [channel, payload]));
}

/** Runs one hand-written hot statement without going through the query builder. */
export async function runRaw<Row>(db: Db, statement: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statement, parameters as unknown[]));
  return rows;
}
