import { CompiledQuery } from "kysely";
import type { DriverQuery, Tx } from "./types.ts";

/** Lifts the server's limit; `liftsTimeLimit` has the driver lift its own, which would end the wait for an answer. */
const NO_TIME_LIMIT: DriverQuery = { ...CompiledQuery.raw("SET LOCAL statement_timeout = 0"), liftsTimeLimit: true };

/** Lifts the time limit of a request's statements until `tx` ends. */
export async function liftTimeLimit(tx: Tx): Promise<void> {
  await tx.executeQuery(NO_TIME_LIMIT);
}
