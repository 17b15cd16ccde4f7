import { type Db, runRaw } from "../db/database.ts";

/** How many device hours are due to be rolled up. */
export async function countRollUpsDue(db: Db, now: Date): Promise<number> {
  const count = "SELECT count(*)::int AS due FROM roll_up_marks WHERE due_at <= $1";
  const [row] = await runRaw<{ due: number }>(db, count, [now]);
  return row!.due;
}
