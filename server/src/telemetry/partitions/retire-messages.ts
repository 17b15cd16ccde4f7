import { addMs, SECOND } from "../../lib/clock.ts";
import type { HoursDeps } from "../roll-up/compute-hours.ts";
import { compactDay } from "./compact-day.ts";
import { retireBefore } from "./hot-days.ts";
import { isLockNotGranted } from "./partition-store.ts";
import { listMessageDays, type MessageDay, retireDay } from "./retire-store.ts";

/** The longest time that storing waits behind the lock. */
const LOCK_WAIT_MS = 200;
/** The total time for compacting days in one call. */
const MOST_MS = 60 * SECOND;
/** The maximum number of passes over a day. Each leaves less: the rows that arrived late during the previous one. */
const MOST_PASSES = 4;

/** The state of one call. */
interface Run {
  deps: HoursDeps;
  end: Date;
  isOver(end: Date): boolean;
  errors: unknown[];
}

/**
 * Drops the rows of days whose messages are in chunks, keeping late rows that are in no chunk yet. If a day has many of
 * those, their hours are put into chunks first. Otherwise a device that always sends late messages would block the rows
 * of all others.
 *
 * These days share the time of a call equally, so that one with very many of these hours cannot block the others. A day
 * that is in use, or of which too much is left, is dropped by a later call. Must be called every hour.
 *
 * @param stopped compacts no further hours once aborted
 * @throws the first error with which a day was not dropped, after the others are done
 */
export async function retireMessages(deps: HoursDeps, stopped?: AbortSignal): Promise<void> {
  const now = deps.clock.now();
  const isOver = (end: Date) => stopped?.aborted === true || deps.clock.now() >= end;
  const run: Run = { deps, end: addMs(now, MOST_MS), isOver, errors: [] };
  let days: MessageDay[] = [];
  for (const day of await listMessageDays(deps.database.db, retireBefore(now))) {
    if (await hasMore(run, async () => !(await tryToDrop(deps, day)))) days.push(day);
  }
  while (days.length > 0 && !isOver(run.end)) days = await compactInTurns(run, days);
  if (run.errors.length > 0) throw run.errors[0];
}

/**
 * Gives each day an equal share of the remaining time; unused time goes to the following days. @returns the days that
 * ran out of time
 */
async function compactInTurns(run: Run, days: readonly MessageDay[]): Promise<MessageDay[]> {
  const again: MessageDay[] = [];
  for (const [index, day] of days.entries()) {
    const now = run.deps.clock.now();
    const end = addMs(now, (run.end.getTime() - now.getTime()) / (days.length - index));
    if (await hasMore(run, () => compactAndDrop(run, day, end))) again.push(day);
  }
  return again;
}

/** @returns whether the day ran out of time */
async function compactAndDrop({ deps, isOver }: Run, day: MessageDay, end: Date): Promise<boolean> {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    if (isOver(end)) return true;
    await compactDay(deps, day, () => isOver(end));
    if (await tryToDrop(deps, day)) return false;
  }
  return false;
}

function tryToDrop({ database }: HoursDeps, day: MessageDay): Promise<boolean> {
  return database.db.transaction().execute((tx) => retireDay(tx, day, LOCK_WAIT_MS));
}

/** @returns the result of `work`, or false after an error, since this call has no more to do then */
async function hasMore({ errors }: Run, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (!isLockNotGranted(error)) errors.push(error);
    return false;
  }
}
