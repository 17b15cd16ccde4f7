import type { Db, Tx } from "./types.ts";

/** Deadlock and serialization failure: nothing was done, the same work may simply be tried again. */
const TRY_AGAIN = ["40P01", "40001"];
const ATTEMPTS = 3;

/** Runs `work` in one transaction, from the start again when the database had to break a tie between two. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !TRY_AGAIN.includes((error as { code?: string }).code ?? "")) throw error;
    }
  }
}
