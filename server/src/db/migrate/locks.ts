import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { readWholeTables } from "../plans/planner.ts";
import type { Db, Tx } from "../types.ts";

/** An arbitrary constant: the advisory lock under which one process migrates while the others wait. */
const MIGRATION_LOCK = sql.lit(0x6d_75_73_74);
const POLL_MS = 200;

/**
 * Later statements queue behind one that waits for a table lock, so this is less than the time limit of a request's
 * statement and than a node's lease.
 */
const LOCK_TIMEOUT = sql`SET LOCAL lock_timeout = '1500ms'`;
/** The pause between two attempts, in which the statements that queued behind the lock run. */
const PAUSE_MS = 1_000;
/** Some five minutes. The operator must end a transaction that lasts longer. */
const ATTEMPTS = 120;
/** SQLSTATE lock_not_available and deadlock_detected. */
const LOCKED = ["55P03", "40P01"];

/**
 * Runs `work` on one connection while no other process migrates. PostgreSQL releases the lock when the connection ends.
 */
export async function withMigrationLock(db: Db, work: (connection: Db) => Promise<void>): Promise<void> {
  await db.connection().execute(async (connection) => {
    // Not in a statement that waits: an index is built concurrently when every statement has ended that began before,
    // so each would wait for the other.
    while (!(await tryLock(connection))) await pause(POLL_MS);
    // It fails only where the connection has ended, and the lock with it: then the error of `work` says why.
    await work(connection).finally(() => unlock(connection).catch(() => undefined));
  });
}

async function tryLock(connection: Db): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS locked`.execute(
    connection,
  );
  return rows[0]!.locked;
}

async function unlock(connection: Db): Promise<void> {
  await sql`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection);
}

/**
 * Runs `work`, which changes tables that other processes use, in one transaction. It waits for a table for a moment
 * only, and is repeated, because statements of other processes wait behind it.
 *
 * @param what for the message
 * @throws Error when other transactions do not release the tables for minutes
 */
export async function withTableLocks(connection: Db, what: string, work: (tx: Tx) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connection.transaction().execute(async (tx) => {
        await readWholeTables(tx);
        await LOCK_TIMEOUT.execute(tx);
        await work(tx);
      });
    } catch (error) {
      if (!LOCKED.includes((error as { code?: string }).code ?? "")) throw error;
      if (attempt === ATTEMPTS)
        throw new Error(`${what}: other transactions use its tables for minutes; end those, and start again`, {
          cause: error,
        });
    }
    await pause(PAUSE_MS);
  }
}
