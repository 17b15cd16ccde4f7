import { addMs, SECOND } from "../../lib/clock.ts";
import type { HoursDeps } from "../roll-up/compute-hours.ts";
import { retireBefore } from "./hot-days.ts";
import { isLockNotGranted } from "./partition-store.ts";
import { listMessageDays, type MessageDay, retireDay } from "./retire-store.ts";
import { settleDay } from "./settle-day.ts";

/** Storing waits behind the lock for no longer than this. */
const LOCK_WAIT_MS = 200;
/** Bounds how long days are settled in a call. */
const MOST_MS = 60 * SECOND;
/** Of a day, one after the other. With each there is less left: what came late while the one before ran. */
const MOST_PASSES = 4;

/** What a call works with. */
interface Run {
  deps: HoursDeps;
  end: Date;
  isOver(end: Date): boolean;
  errors: unknown[];
}

/**
 * Drops the rows of days whose messages are in chunks. What has come late, and is in no chunk yet, stays. Of a day of which much is in no chunk, the hours are put into
 * chunks first, so that no device which sends late messages all the time has the rows of all others stay. Such days share the time of a call, so that none that has very
 * many of these hours at every call has the rows of other days stay. A day that is in use, or of which too much is left, is dropped by a later call. Call it every hour.
 *
 * @param stopped settles no further hours once it is aborted
 * @throws the first of the errors with which days were not dropped, once the others are
 */
export async function retireMessages(deps: HoursDeps, stopped?: AbortSignal): Promise<void> {
  const now = deps.clock.now();
  const isOver = (end: Date) => stopped?.aborted === true || deps.clock.now() >= end;
  const run: Run = { deps, end: addMs(now, MOST_MS), isOver, errors: [] };
  let days: MessageDay[] = [];
  for (const day of await listMessageDays(deps.database.db, retireBefore(now))) {
    if (await hasMore(run, async () => !(await tryToDrop(deps, day)))) days.push(day);
  }
  while (days.length > 0 && !isOver(run.end)) days = await settleInTurns(run, days);
  if (run.errors.length > 0) throw run.errors[0];
}

/** Each day has an equal share of the time that is left; what one does not use, those behind it have. @returns the days for which it was not enough */
async function settleInTurns(run: Run, days: readonly MessageDay[]): Promise<MessageDay[]> {
  const again: MessageDay[] = [];
  for (const [index, day] of days.entries()) {
    const now = run.deps.clock.now();
    const end = addMs(now, (run.end.getTime() - now.getTime()) / (days.length - index));
    if (await hasMore(run, () => settleAndDrop(run, day, end))) again.push(day);
  }
  return again;
}

/** @returns whether the time was not enough */
async function settleAndDrop({ deps, isOver }: Run, day: MessageDay, end: Date): Promise<boolean> {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    if (isOver(end)) return true;
    await settleDay(deps, day, () => isOver(end));
    if (await tryToDrop(deps, day)) return false;
  }
  return false;
}

function tryToDrop({ database }: HoursDeps, day: MessageDay): Promise<boolean> {
  return database.db.transaction().execute((tx) => retireDay(tx, day, LOCK_WAIT_MS));
}

/** @returns what `work` does; after an error there is no more to do in this call */
async function hasMore({ errors }: Run, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (!isLockNotGranted(error)) errors.push(error);
    return false;
  }
}
