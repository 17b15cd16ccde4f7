import type { Db, Tx } from "./types.ts";

/** Deadlock and serialization failure: nothing was done, and a retry may succeed. */
const RETRIABLE = ["40P01", "40001"];
const ATTEMPTS = 3;

/**
 * Runs `work` in one transaction, and retries it if PostgreSQL ended it over a conflict with another transaction. If
 * `db` is a transaction, `work` becomes part of it.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return await work(db as Tx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRIABLE.includes((error as { code?: string }).code ?? "")) throw error;
    }
  }
}
