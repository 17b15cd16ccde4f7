import { type Db, runRaw } from "../db/database.ts";
import type { Severity } from "./severity.ts";

/** How many anomalies are unresolved, by severity; severities without any are absent. */
export async function countUnresolved(db: Db): Promise<Map<Severity, number>> {
  const rows = await runRaw<{ severity: Severity; unresolved: number }>(
    db,
    "SELECT severity, count(*)::int AS unresolved FROM anomalies WHERE resolved_at IS NULL GROUP BY severity",
    [],
  );
  return new Map(rows.map(({ severity, unresolved }) => [severity, unresolved]));
}
