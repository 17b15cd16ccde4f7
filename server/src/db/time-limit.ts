import { CompiledQuery } from "kysely";
import type { Db, DriverQuery, Tx } from "./types.ts";

/** Lifts the server's limit. `liftsTimeLimit` makes the driver lift its own, which would otherwise end the wait. */
const NO_TIME_LIMIT: DriverQuery = { ...CompiledQuery.raw("SET LOCAL statement_timeout = 0"), liftsTimeLimit: true };
const NO_SESSION_LIMIT: DriverQuery = { ...CompiledQuery.raw("SET statement_timeout = 0"), liftsTimeLimit: true };
const SESSION_LIMIT: DriverQuery = { ...CompiledQuery.raw("RESET statement_timeout"), liftsTimeLimit: false };

/** Lifts the time limit of a request's statements until `tx` ends. */
export async function liftTimeLimit(tx: Tx): Promise<void> {
  await tx.executeQuery(NO_TIME_LIMIT);
}

/** Runs `work` on one connection. Its statements outside transactions have no time limit until `work` ends. */
export async function withoutTimeLimit(connection: Db, work: () => Promise<void>): Promise<void> {
  await connection.executeQuery(NO_SESSION_LIMIT);
  // This fails only if the connection has ended, and the error of `work` says why.
  await work().finally(() => connection.executeQuery(SESSION_LIMIT).catch(() => undefined));
}
