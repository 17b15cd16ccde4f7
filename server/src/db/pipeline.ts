import { sendBatch } from "./prepared-batch.ts";
import { PreparedQuery } from "./prepared-query.ts";
import type { BoundStatement, ClientSource, Db } from "./types.ts";

/** Runs prepared statements on one connection as one transaction, in one round trip. */
export type Pipeline = (statements: readonly BoundStatement[]) => Promise<void>;

const pipelines = new WeakMap<Db, Pipeline>();

/** Returns the pipeline of a pool; `undefined` for a transaction and for the embedded database. */
export function pipelineOf(db: Db): Pipeline | undefined {
  return pipelines.get(db);
}

/**
 * Installs the pipeline of a pool. Between two statements of an ordinary transaction the process serves other events,
 * so under load every statement waits for a turn of the event loop while the transaction holds its locks. A pipelined
 * transaction waits once. PostgreSQL commits after the last statement, or rolls back if one fails (the extended query
 * protocol up to its Sync).
 */
export function pipelineOn(db: Db, pool: ClientSource, observe?: (seconds: number) => void): void {
  pipelines.set(db, (statements) => {
    const queries = statements.map((bound) => new PreparedQuery(bound));
    return new Promise((resolve, reject) => {
      const done = (_: unknown, error: Error | null) => (error ? reject(error) : resolve());
      sendBatch(pool, queries, done, observe).catch(reject);
    });
  });
}
