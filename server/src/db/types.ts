import type { Kysely, Transaction } from "kysely";
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
  /** The embedded database as it is now, to be opened as a `snapshot`; PostgreSQL has tools of its own for that. */
  dump?(): Promise<Blob>;
  close(): Promise<void>;
}
