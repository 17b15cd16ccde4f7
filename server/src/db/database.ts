import { CompiledQuery } from "kysely";
import type { Logger } from "../lib/logger.ts";
import { openEmbedded } from "./embedded.ts";
import { gathererOf } from "./gather.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import { markPrepared } from "./prepared.ts";
import type { Database, Db } from "./types.ts";

export type { Database, Db, Tx, Unlisten } from "./types.ts";

export interface DatabaseOptions {
  /** PostgreSQL address; absent for the embedded database in `dataDir`. */
  url?: string | undefined;
  /** Folder of the embedded database, or `memory` in tests. */
  dataDir: string;
  /** A dumped data folder to start the embedded database from (tests). */
  snapshot?: Blob | undefined;
  logger: Logger;
  /** Is told how many seconds each statement took, also one that failed. */
  observe?: ((seconds: number) => void) | undefined;
}

/** Opens the database and brings its schema up to date. Throws when it is unreachable or too new. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = options.url
    ? await openPostgres(options.url, options.logger, options.observe)
    : await openEmbedded(options.dataDir, options.snapshot, options.observe);
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

/**
 * Like {@link runRaw}, for a statement that is run thousands of times: PostgreSQL parses and plans it once a connection.
 * `name` and `statement` belong together for good.
 */
export function runPrepared<Row>(
  db: Db,
  name: string,
  statement: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const text = marked.get(name) ?? markPrepared(name, statement);
  marked.set(name, text);
  return runRaw<Row>(db, text, parameters.map(timesAsText));
}

/**
 * Like {@link runPrepared}, for a short read that changes nothing: on PostgreSQL the reads that many requests ask for in one turn
 * of the event loop travel together. In a transaction it is that transaction's.
 */
export async function readPrepared<Row>(
  db: Db,
  name: string,
  statement: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const gather = gathererOf(db);
  if (gather === undefined) return await runPrepared<Row>(db, name, statement, parameters);
  return (await gather(name, statement, parameters.map(timesAsText))) as Row[];
}

/** A prepared statement that is yet to be run: as {@link runPrepared} takes it. */
export interface Statement {
  name: string;
  text: string;
  parameters: readonly unknown[];
}

/** The marked text of each prepared statement, made once. */
const marked = new Map<string, string>();

/** Both drivers take ISO 8601 as it is; pg would work a Date out field by field, which takes ten times as long. */
export function timesAsText(parameter: unknown): unknown {
  return parameter instanceof Date ? parameter.toISOString() : parameter;
}
