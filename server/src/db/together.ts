import pg from "pg";
import { PreparedBatch } from "./prepared-batch.ts";
import type { PreparedQuery } from "./prepared-query.ts";
import type { Db } from "./types.ts";

/** Runs prepared statements on one connection as one transaction, in one write and one answer. */
export type Together = (queries: readonly PreparedQuery[]) => Promise<void>;

const senders = new WeakMap<Db, Together>();

/** How statements of a pool run together; `undefined` for a transaction, and for the embedded database. */
export function togetherOf(db: Db): Together | undefined {
  return senders.get(db);
}

/**
 * Between two statements of a transaction its process serves whatever else has arrived, so under load each of them waits for a
 * turn of the event loop, and with it the locks that are held. Sent together they wait once. PostgreSQL commits when it has
 * answered the last, or nothing when one fails (the extended query protocol up to its Sync).
 */
export function togetherOn(db: Db, pool: pg.Pool, observe?: (seconds: number) => void): void {
  senders.set(db, async (queries) => {
    const started = performance.now();
    const client = await pool.connect();
    await new Promise<void>((resolve, reject) => {
      const batch = new PreparedBatch(queries);
      batch.callback = (error) => {
        client.release(error !== null && !(error instanceof pg.DatabaseError));
        observe?.((performance.now() - started) / 1000);
        if (error) reject(error);
        else resolve();
      };
      client.query(batch as unknown as pg.Submittable);
    });
  });
}
