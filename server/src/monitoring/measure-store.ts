import { type Db, runRaw } from "../db/database.ts";
import type { Severity } from "./rule.ts";

/** How many anomalies are unresolved, by severity; those of which there is none are not there. */
export async function countUnresolved(db: Db): Promise<Map<Severity, number>> {
  const rows = await runRaw<{ severity: Severity; unresolved: number }>(
    db,
    "SELECT severity, count(*)::int AS unresolved FROM anomalies WHERE resolved_at IS NULL GROUP BY severity",
    [],
  );
  return new Map(rows.map(({ severity, unresolved }) => [severity, unresolved]));
}

/** How many hours of devices are to be rolled up by now. */
export async function countRollUpsDue(db: Db, now: Date): Promise<number> {
  const count = "SELECT count(*)::int AS due FROM roll_up_marks WHERE due_at <= $1";
  const [row] = await runRaw<{ due: number }>(db, count, [now]);
  return row!.due;
}
