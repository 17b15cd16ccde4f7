import { Kysely } from "kysely";
import pg from "pg";
import { withTimeout } from "../lib/timeouts.ts";
import { coalesceReads } from "./coalesce-reads.ts";
import { pipelineOn } from "./pipeline.ts";
import { postgresDialect } from "./postgres-driver.ts";
import type { Schema } from "./schema.generated.ts";
import { timing } from "./timing.ts";
import type { ClientSource, Db } from "./types.ts";

/** The longest that the health check waits for an answer. */
const HEALTH_CHECK_MS = 2_000;

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => text);

/** Creates Kysely on a pool, with pipelined transactions and coalesced reads, for both kinds of database. */
export function kyselyOn(
  pool: ClientSource,
  observe?: (seconds: number) => void,
): { db: Db; healthy: () => Promise<boolean> } {
  // The pool handles errors of idle clients only; an unhandled one would end the process.
  pool.on("error", () => undefined);
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool), ...timing(observe) });
  coalesceReads(db, pool, observe);
  pipelineOn(db, pool, observe);
  return { db, healthy: () => answers(pool) };
}

/** Reports whether a trivial statement succeeds in time. */
async function answers(pool: ClientSource): Promise<boolean> {
  const answer = pool.query("SELECT 1").then(
    () => true,
    () => false,
  );
  return withTimeout(answer, HEALTH_CHECK_MS, () => false);
}
