import { CompiledQuery } from "kysely";
import type { Tx } from "./types.ts";

/** Seen by the server, and by `PreparingClient`, which otherwise would stop waiting for it. */
export const NO_TIME_LIMIT = "SET LOCAL statement_timeout = 0";

/** Lifts the time limit that a request's statements have until `tx` ends: migrations and whole-database questions. */
export async function liftTimeLimit(tx: Tx): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(NO_TIME_LIMIT));
}
