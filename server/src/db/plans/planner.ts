import { CompiledQuery } from "kysely";
import { liftTimeLimit } from "../time-limit.ts";
import type { Tx } from "../types.ts";

/**
 * Settings of every session, as PostgreSQL's command line takes them.
 *
 * `enable_seqscan=off`: prepared statements, functions and foreign keys keep the plans that were made while tables were empty, when
 * reading a whole table looks cheap; they are replaced by the first ANALYZE only, which the embedded database lacks and which
 * PostgreSQL runs minutes later. Every statement of a request finds its rows through an index, so a plan with a sequential scan is
 * never the better one in the long run.
 *
 * `jit=off`: statements take milliseconds; compiling one whose rows PostgreSQL overestimates takes seconds (a chart took eight).
 */
export const SESSION_SETTINGS: readonly string[] = ["-c", "jit=off", "-c", "enable_seqscan=off"];

/**
 * Further settings of the connections that MQTT connects use. Each of their statements finds rows by key, so that its plan for any values is the
 * best one (`server/test/plans.test.ts`). Left to choose, PostgreSQL plans those with arrays again at every run, for which it takes longer than
 * for the run itself: the plan for two elements seems cheaper to it than that for any number.
 */
export const CONNECT_SETTINGS: readonly string[] = ["-c", "plan_cache_mode=force_generic_plan"];

const SEQUENTIAL_SCANS = CompiledQuery.raw("SET LOCAL enable_seqscan = on");

/** Prepares `tx` for statements about whole tables: until it ends, they have no time limit and may be planned with sequential scans. */
export async function readWholeTables(tx: Tx): Promise<void> {
  await liftTimeLimit(tx);
  await tx.executeQuery(SEQUENTIAL_SCANS);
}
