import { addMs, SECOND } from "../../lib/clock.ts";
import type { RollUpDeps } from "../roll-up/roll-up.ts";
import { retireBefore } from "./hot-days.ts";
import { isLockNotGranted } from "./partition-store.ts";
import { listMessageDays, type MessageDay, retireDay } from "./retire-store.ts";
import { settleDay } from "./settle-day.ts";

/** Storing waits behind the lock for no longer than this. */
const LOCK_WAIT_MS = 200;
/** Bounds how long days are settled in a call. */
const MOST_MS = 60 * SECOND;
/** With each there is less left: what came late while the one before ran. */
const MOST_PASSES = 4;

/**
 * Drops the rows of days whose messages are in chunks. What has come late, and is in no chunk yet, stays. Of a day of which much is in no chunk, the hours are put into
 * chunks first, so that no device which sends late messages all the time has the rows of all others stay. A day that is in use, or of which too much is left, is
 * dropped by a later call. Call it every hour.
 *
 * @param stopped settles no further hours once it is aborted
 * @throws the first of the errors with which days were not dropped, once the others are
 */
export async function retireMessages(deps: RollUpDeps, stopped?: AbortSignal): Promise<void> {
  const now = deps.clock.now();
  const end = addMs(now, MOST_MS);
  const isOver = () => stopped?.aborted === true || deps.clock.now() >= end;
  const errors: unknown[] = [];
  for (const day of await listMessageDays(deps.database.db, retireBefore(now))) {
    try {
      await retire(deps, day, isOver);
    } catch (error) {
      if (!isLockNotGranted(error)) errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function retire(deps: RollUpDeps, day: MessageDay, isOver: () => boolean): Promise<void> {
  const tryToDrop = () => deps.database.db.transaction().execute((tx) => retireDay(tx, day, LOCK_WAIT_MS));
  for (let pass = 0; !(await tryToDrop()) && pass < MOST_PASSES && !isOver(); pass++)
    await settleDay(deps, day, isOver);
}
