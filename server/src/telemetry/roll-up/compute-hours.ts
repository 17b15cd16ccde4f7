import type { Database, Tx } from "../../db/database.ts";
import { type Clock, MINUTE } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { type DirtyHour, deleteMarks, lockHour, postponeHour } from "./dirty-hour-store.ts";
import { recomputeHours } from "./roll-up-store.ts";

/** An hour that cannot be computed is tried again after this. */
const POSTPONED_MS = 10 * MINUTE;

export interface HoursDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  logger: Pick<Logger, "error">;
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

/** What has become of hours. */
export interface ComputedHours {
  /** All that were locked. */
  locked: DirtyHour[];
  /** Those for which hours were not computed. */
  errors: unknown[];
}

/**
 * Computes hours together, in one transaction, and deletes their marks. A message that is stored into one of them waits for the commit: those that are too large to be
 * one part, which may take long, are computed afterwards, each in a transaction of its own. So are all where that of several fails; an hour that fails alone is postponed.
 *
 * @param isOver whether those stay marked that are not computed yet
 * @throws what the database throws while no hour is locked, or when none can be postponed
 */
export async function computeHours(deps: HoursDeps, work: HoursWork, isOver: () => boolean): Promise<ComputedHours> {
  const { db } = deps.database;
  const errors: unknown[] = [];
  const { locked, left, error } = await computeTogether(deps, work);
  if (locked.length === 1 && error !== undefined) errors.push(await postpone(deps, locked[0]!, error));
  else {
    for (const hour of left) {
      if (isOver()) break;
      const computed = db.transaction().execute(async (tx) => {
        if (await lockHour(tx, hour)) await compute(deps, tx, [hour], work);
      });
      await computed.catch(async (error) => errors.push(await postpone(deps, hour, error)));
    }
  }
  return { locked, errors };
}

/** @returns those of the hours that are not computed, and why, if that is for an error */
async function computeTogether(deps: HoursDeps, work: HoursWork) {
  let locked: DirtyHour[] = [];
  try {
    const left = await deps.database.db.transaction().execute(async (tx) => {
      locked = await work.lock(tx);
      return await compute(deps, tx, locked, work);
    });
    return { locked, left };
  } catch (error) {
    if (locked.length === 0) throw error;
    return { locked, left: locked, error };
  }
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

/** @returns the error */
async function postpone({ database, clock, logger }: HoursDeps, hour: DirtyHour, error: unknown): Promise<unknown> {
  logger.error({ err: error, deviceUid: hour.device_uid, hour: hour.hour }, "an hour of a device cannot be rolled up");
  await postponeHour(database.db, hour, clock.now(), POSTPONED_MS);
  return error;
}
