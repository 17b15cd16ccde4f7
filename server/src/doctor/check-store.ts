import { type RawBuilder, type SqlBool, sql } from "kysely";
import { readWholeTables } from "../db/plans/planner.ts";
import type { Database, Tx } from "../db/types.ts";

/** A rule, as a query for what breaks it. */
export interface Check {
  /** The rule: what is so when nothing is broken. */
  readonly name: string;
  /** The kind of database that it is about; absent: both. */
  readonly kind?: Database["kind"];
  /** What must be so for it to have something to check; absent: nothing. */
  readonly condition?: RawBuilder<SqlBool>;
  /** SELECT of one text column `what`: a row names one violation. */
  violations(now: RawBuilder<Date>): RawBuilder<unknown>;
}

/** How many violations of a check are named. */
export const MAX_EXAMPLES = 5;

/** A time in the text of a violation, as other commands show times. */
export function shownTime(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/** Whether a check has something to check on this database. */
export async function applies({ kind, db }: Database, check: Check): Promise<boolean> {
  if (check.kind !== undefined && check.kind !== kind) return false;
  if (check.condition === undefined) return true;
  const { rows } = await sql<{ met: boolean }>`SELECT ${check.condition} AS met`.execute(db);
  return rows[0]!.met;
}

/** Runs a check without a time limit. @returns the number of violations, and the first few by name */
export async function findViolations(tx: Tx, check: Check, now: Date): Promise<{ broken: number; examples: string[] }> {
  await readWholeTables(tx);
  const { rows } = await sql<{ what: string; total: string }>`
    WITH violations AS (${check.violations(sql`${now}::timestamptz`)})
    SELECT what, count(*) OVER () AS total FROM violations ORDER BY what LIMIT ${sql.lit(MAX_EXAMPLES)}`.execute(tx);
  return { broken: Number(rows[0]?.total ?? 0), examples: rows.map(({ what }) => what) };
}
