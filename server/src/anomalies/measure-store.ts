import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { type NoParameters, runStatement, statement } from "../db/statement.ts";
import type { Severity } from "./severity.ts";

const unresolved = statement<NoParameters, { severity: Severity; unresolved: number }>(
  "count-unresolved-anomalies",
  () => sql`SELECT severity, count(*)::int AS unresolved FROM anomalies WHERE resolved_at IS NULL GROUP BY severity`,
);

/** Counts the unresolved anomalies by severity. Severities without any are absent. */
export async function countUnresolved(db: Db): Promise<Map<Severity, number>> {
  const rows = await runStatement(db, unresolved, {});
  return new Map(rows.map((row) => [row.severity, row.unresolved]));
}
