import { CompiledQuery } from "kysely";
import { liftTimeLimit } from "../time-limit.ts";
import type { Tx } from "../types.ts";

/**
 * Settings of every session, in PostgreSQL's command line format.
 *
 * `enable_seqscan=off`: prepared statements, functions and foreign keys keep plans made while tables were empty, when a
 * sequential scan looks cheap. Only the first ANALYZE replaces them, which the embedded database lacks and which
 * PostgreSQL runs minutes later. Every statement of a request finds its rows through an index, so in the long run a
 * plan with a sequential scan is never the better one.
 *
 * `jit=off`: statements take milliseconds; compiling one whose rows PostgreSQL overestimates takes seconds (a chart
 * took eight).
 */
export const SESSION_SETTINGS: readonly string[] = ["-c", "jit=off", "-c", "enable_seqscan=off"];

/**
 * Additional settings of the connections used by MQTT connects. Each of their statements finds rows by key, so its
 * generic plan is the best one (`server/test/database/plans/statements.test.ts`). By default, PostgreSQL plans those
 * with arrays again at every run, which takes longer than the run itself: the plan for two elements seems cheaper to it
 * than that for any number.
 */
export const CONNECT_SETTINGS: readonly string[] = ["-c", "plan_cache_mode=force_generic_plan"];

const SEQUENTIAL_SCANS = CompiledQuery.raw("SET LOCAL enable_seqscan = on");

/**
 * Prepares `tx` for statements on whole tables: until it ends, they have no time limit and may use sequential scans.
 */
export async function readWholeTables(tx: Tx): Promise<void> {
  await liftTimeLimit(tx);
  await tx.executeQuery(SEQUENTIAL_SCANS);
}
