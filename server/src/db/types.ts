import type { CompiledQuery, Kysely, Transaction } from "kysely";
import type pg from "pg";
import type { Pools } from "../lib/limits/pools.ts";
import type { PoolUse } from "../lib/metrics/database-metrics.ts";
import type { Schema } from "./schema.generated.ts";

/** A connection to run statements on: the pool or one of its transactions. Store functions take it first. */
export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** The part of pg's pool that statements need: to have a client for a while. */
export type ClientSource = Pick<pg.Pool, "connect" | "query" | "on" | "end">;

/** The time limits for getting a connection to PostgreSQL, and for a statement. */
export interface TimeLimits {
  readonly connectMs: number;
  readonly statementMs: number;
}

/** Stops listening. */
export type Unlisten = () => Promise<void>;

/** A statement with its values, ready to run (`statement.ts`). */
export interface BoundStatement<Row = unknown> extends CompiledQuery<Row> {
  /** The name under which a PostgreSQL connection prepares the statement. A name always identifies one text. */
  readonly statementName: string;
  /** Never set; carries the type of a row. */
  readonly row?: Row;
}

/**
 * The fields that `PostgresDriver` reads from a query besides its text and values: Kysely passes the object on
 * unchanged.
 */
export interface DriverQuery extends CompiledQuery {
  /** Set on a {@link BoundStatement}: prepare it. */
  readonly statementName?: string;
  /**
   * `true`: the connection waits for this and later statements of the transaction without a time limit; `false`: it
   * restores its own limit.
   */
  readonly liftsTimeLimit?: boolean;
}

/**
 * The database of one process: PostgreSQL over a pool, or PostgreSQL in WebAssembly (PGlite) in a thread of this
 * process. Both speak the same SQL; only this folder knows the difference.
 */
export interface Database {
  readonly kind: "embedded" | "postgres";
  readonly db: Db;
  /** A separate pool for storing telemetry, so that requests do not delay it. Telemetry's caches are loaded by `db`. */
  readonly ingest: Db;
  /** A separate pool for authorizing MQTT connects, so that other load cannot starve them. */
  readonly connects: Db;
  /** Calls `handler` for every NOTIFY on `channel`, from this or any other process, until unlistened. */
  listen(channel: string, handler: (payload: string) => void): Promise<Unlisten>;
  /** Reports whether a trivial statement succeeds within two seconds. */
  healthy(): Promise<boolean>;
  /** Returns a dump of the embedded database, to be opened as a `snapshot`. PostgreSQL has its own tools for that. */
  dump?(): Promise<Blob>;
  /** Performs due maintenance in short steps, so that statements stay fast; called every few seconds. */
  maintain(): Promise<void>;
  /** Returns the number of connections in use per pool; PostgreSQL only. */
  pools?(): Record<keyof Omit<Pools, "needed">, PoolUse>;
  close(): Promise<void>;
}
