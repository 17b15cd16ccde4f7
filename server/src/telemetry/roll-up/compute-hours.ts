import type { Database, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { type DirtyHour, deleteMarks, lockHour } from "./dirty-hour-store.ts";
import { recomputeHours } from "./roll-up-store.ts";

export interface HoursDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  /** About how much of an hour is read at once, in bytes. */
  partBytes?: number | undefined;
}

/** Which hours are computed, and what is done with them. */
export interface HoursWork {
  /** Locks the marks of the hours. */
  lock(tx: Tx): Promise<DirtyHour[]>;
  /** Called in the transaction in which these hours were computed. */
  computed?(tx: Tx, hours: readonly DirtyHour[]): Promise<void>;
}

/**
 * Computes hours together, in one transaction, and deletes their marks. A message that is stored into one of them waits for the commit: those that are too large to be
 * one part, which may take long, are computed afterwards, each in a transaction of its own.
 *
 * @param isOver whether those stay marked that are not computed yet
 * @returns all that were locked
 */
export async function computeHours(deps: HoursDeps, work: HoursWork, isOver: () => boolean): Promise<DirtyHour[]> {
  const { db } = deps.database;
  const { locked, large } = await db.transaction().execute(async (tx) => {
    const locked = await work.lock(tx);
    return { locked, large: await compute(deps, tx, locked, work) };
  });
  for (const hour of large) {
    if (isOver()) break;
    await db.transaction().execute(async (tx) => {
      if (await lockHour(tx, hour)) await compute(deps, tx, [hour], work);
    });
  }
  return locked;
}

/** @returns those that are left, for being too large beside others */
async function compute(
  { clock, partBytes }: HoursDeps,
  tx: Tx,
  locked: readonly DirtyHour[],
  { computed }: HoursWork,
): Promise<DirtyHour[]> {
  const done = new Set(await recomputeHours(tx, locked, clock.now(), partBytes));
  const [hours, left] = [locked.filter((hour) => done.has(hour)), locked.filter((hour) => !done.has(hour))];
  await deleteMarks(tx, hours);
  await computed?.(tx, hours);
  return left;
}
