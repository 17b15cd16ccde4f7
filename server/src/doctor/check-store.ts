import { type RawBuilder, sql } from "kysely";
import { readWholeTables } from "../db/plans/planner.ts";
import type { Tx } from "../db/types.ts";

/** A rule, as a query for what breaks it. */
export interface Check {
  /** The rule: what is so when nothing is broken. */
  readonly name: string;
  /** SELECT of one text column `what`: a row names one violation. */
  violations(now: RawBuilder<Date>): RawBuilder<unknown>;
}

/** How many violations of a check are named. */
export const MAX_EXAMPLES = 5;

/** Runs a check without a time limit. @returns the number of violations, and the first few by name */
export async function findViolations(tx: Tx, check: Check, now: Date): Promise<{ broken: number; examples: string[] }> {
  await readWholeTables(tx);
  const { rows } = await sql<{ what: string; total: string }>`
    WITH violations AS (${check.violations(sql`${now}::timestamptz`)})
    SELECT what, count(*) OVER () AS total FROM violations ORDER BY what LIMIT ${sql.lit(MAX_EXAMPLES)}`.execute(tx);
  return { broken: Number(rows[0]?.total ?? 0), examples: rows.map(({ what }) => what) };
}
