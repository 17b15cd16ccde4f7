import { type RawBuilder, type SqlBool, sql } from "kysely";
import { readWholeTables } from "../db/plans/planner.ts";
import type { Database, Tx } from "../db/types.ts";

/** A rule, as a query for its violations. */
export interface Check {
  /** The rule, as a statement that is true when nothing is broken. */
  readonly name: string;
  /** The kind of database to which it applies; by default both. */
  readonly kind?: Database["kind"];
  /** The condition under which there is something to check; by default always. */
  readonly condition?: RawBuilder<SqlBool>;
  /** Returns a SELECT of one text column `what`: each row names one violation. */
  violations(now: RawBuilder<Date>): RawBuilder<unknown>;
}

/** The number of violations that a check names. */
export const MAX_EXAMPLES = 5;

/** Formats a time in the text of a violation, as other commands do. */
export function shownTime(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/** Reports whether a check applies to this database. */
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
