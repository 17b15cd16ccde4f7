import { runPrepared, type Statement, timesAsText } from "./database.ts";
import { PreparedQuery } from "./prepared-query.ts";
import { togetherOf } from "./together.ts";
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

export function runStatement<Row>(db: Db, { name, text, parameters }: Statement): Promise<Row[]> {
  return runPrepared<Row>(db, name, text, parameters);
}

/**
 * Runs statements in order as one transaction, or within `db` where that is one already; of each the next one sees what it did and
 * what it waited for. On PostgreSQL they travel together. Nothing is done when one fails.
 */
export async function runTogether(db: Db, statements: readonly Statement[]): Promise<void> {
  const together = togetherOf(db);
  if (statements.length === 1 || db.isTransaction) {
    for (const statement of statements) await runStatement(db, statement);
  } else if (together === undefined) {
    await db.transaction().execute((tx) => runTogether(tx, statements));
  } else {
    await together(
      statements.map(({ name, text, parameters }) => new PreparedQuery(name, text, parameters.map(timesAsText))),
    );
  }
}
