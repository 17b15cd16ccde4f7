import type { CompiledQuery, Kysely, Transaction } from "kysely";
import type { PoolUse } from "../lib/metrics/database-metrics.ts";
import type { Schema } from "./schema.generated.ts";

/** A connection to run statements on: the pool or one transaction of it. Store functions take it first. */
export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** How long work waits for a connection to PostgreSQL, and for a statement. */
export interface TimeLimits {
  readonly connectMs: number;
  readonly statementMs: number;
}

/** The connections of a process to PostgreSQL, beside the one that listens for notifications. */
export interface Pools {
  readonly main: number;
  /** For authorizing MQTT connects. */
  readonly connects: number;
  /** How many all processes of the service open together; the start fails where PostgreSQL has not as many. */
  readonly needed?: number | undefined;
}

/** Stops listening. */
export type Unlisten = () => Promise<void>;

/** A statement with its values, ready to run (`statement.ts`). */
export interface BoundStatement<Row = unknown> extends CompiledQuery<Row> {
  /** The name under which a PostgreSQL connection prepares the statement. One name always means one text. */
  readonly statementName: string;
  /** Never set; carries the type of a row. */
  readonly row?: Row;
}

/** What `PostgresDriver` reads of a query besides its text and values: Kysely passes the object on as it is. */
export interface DriverQuery extends CompiledQuery {
  /** Set on a {@link BoundStatement}: prepare it. */
  readonly statementName?: string;
  /** `true`: the connection waits for this and the later statements of the transaction without a time limit; `false`: with its own again. */
  readonly liftsTimeLimit?: boolean;
}

/**
 * The database of one process: PostgreSQL over a pool, or PostgreSQL in WebAssembly (PGlite) in a thread of this process.
 * Both speak the same SQL; nothing above this folder knows which it is.
 */
export interface Database {
  readonly kind: "embedded" | "postgres";
  readonly db: Db;
  /** A separate pool for authorizing MQTT connects, so that other load cannot starve them. */
  readonly connects: Db;
  /** Calls `handler` for every NOTIFY on `channel`, from this or any other process, until unlistened. */
  listen(channel: string, handler: (payload: string) => void): Promise<Unlisten>;
  /** Whether a trivial statement succeeds within two seconds. */
  healthy(): Promise<boolean>;
  /** A dump of the embedded database, to be opened as a `snapshot`. PostgreSQL has its own tools for that. */
  dump?(): Promise<Blob>;
  /** Does what is due to keep statements as fast as they are, in short steps; every few seconds. */
  maintain(): Promise<void>;
  /** How many connections of each pool are in use; of PostgreSQL. */
  pools?(): Record<"main" | "connects", PoolUse>;
  close(): Promise<void>;
}
