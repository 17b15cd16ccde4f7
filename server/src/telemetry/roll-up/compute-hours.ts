import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Tx } from "../../db/database.ts";
import { type Clock, HOUR, MINUTE } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { createStopwatch } from "../../lib/pauses.ts";
import { type DirtyHour, deleteMarks, lockHour, postponeHour } from "./dirty-hour-store.ts";
import { endSteps, type LargeHour, markLarge, recordStep } from "./large-hour-store.ts";
import { recomputeHours, recomputeNextSlices } from "./roll-up-store.ts";

/**
 * Longer transactions delay batches that store into one of their hours; on the embedded database, they delay
 * everything.
 */
const LONG_MS = 100;
const MOST_REST_MS = 200;

/** The delay before an hour that cannot be computed is tried again. */
const POSTPONED_MS = 10 * MINUTE;

export interface HoursDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  logger: Pick<Logger, "error">;
  /** The approximate number of bytes of an hour to read at once. */
  sliceBytes?: number | undefined;
}

/** The hour of a device, or slice of one, that was computed. Microseconds since 1970. */
export interface ComputedSpan {
  deviceUid: string;
  from: number;
  to: number;
}

/** The selection of hours to compute, and the follow-up. */
export interface HoursWork {
  /** Locks the marks of hours. */
  lock(tx: Tx): Promise<DirtyHour[]>;
  /** Called in the transaction that has computed this span. */
  computed?(tx: Tx, span: ComputedSpan): Promise<void>;
}

/** The selection of one hour to compute in steps, and the follow-up. */
export interface StepWork extends Pick<HoursWork, "computed"> {
  lock(tx: Tx): Promise<LargeHour | undefined>;
}

/** The outcome for some hours. */
export interface ComputedHours {
  /** All locked hours. */
  locked: DirtyHour[];
  /** The locked hours that must be computed in steps. */
  large: DirtyHour[];
  /** The errors because of which hours were not computed. */
  errors: unknown[];
}

/**
 * Computes hours together in one transaction and deletes their marks. A message that is stored into one of them waits
 * for the commit, so hours too large for one slice are left to {@link computeStep}. If the transaction fails or would
 * be long, each hour gets its own transaction; an hour that fails alone is postponed.
 *
 * @param isOver whether to leave the remaining hours marked
 * @throws the database's error if no hour was locked, or if an hour cannot be postponed
 */
export async function computeHours(deps: HoursDeps, work: HoursWork, isOver: () => boolean): Promise<ComputedHours> {
  const { db } = deps.database;
  const errors: unknown[] = [];
  const { locked, large, left, error } = await restAfter(() => computeTogether(deps, work));
  if (locked.length === 1 && error !== undefined) errors.push(await postpone(deps, locked[0]!, error));
  else {
    for (const hour of left) {
      if (isOver()) break;
      const computed = restAfter(() =>
        db.transaction().execute(async (tx) => {
          if (await lockHour(tx, hour)) large.push(...(await compute(deps, tx, [hour], work)).large);
        }),
      );
      await computed.catch(async (error) => errors.push(await postpone(deps, hour, error)));
    }
  }
  return { locked, large, errors };
}

/** Runs a transaction. After a long one, leaves the database and the event loop to others for as long as it took. */
async function restAfter<Result>(transaction: () => Promise<Result>): Promise<Result> {
  const elapsedMs = createStopwatch();
  try {
    return await transaction();
  } finally {
    const tookMs = elapsedMs();
    if (tookMs > LONG_MS) await sleep(Math.min(tookMs, MOST_REST_MS));
  }
}

async function computeTogether(
  deps: HoursDeps,
  work: HoursWork,
): Promise<Omit<ComputedHours, "errors"> & { left: DirtyHour[]; error?: unknown }> {
  let locked: DirtyHour[] = [];
  try {
    return await deps.database.db.transaction().execute(async (tx) => {
      locked = await work.lock(tx);
      return { locked, ...(await compute(deps, tx, locked, work)) };
    });
  } catch (error) {
    if (locked.length === 0) throw error;
    return { locked, large: [], left: locked, error };
  }
}

/** @returns the hours to compute in steps, and those left for transactions of their own */
async function compute(
  { clock, sliceBytes }: HoursDeps,
  tx: Tx,
  locked: readonly DirtyHour[],
  { computed }: HoursWork,
): Promise<{ large: DirtyHour[]; left: DirtyHour[] }> {
  const { computed: hours, tried } = await recomputeHours(tx, locked, clock.now(), sliceBytes);
  const done = new Set(hours);
  const large = locked.slice(0, tried).filter((hour) => !done.has(hour));
  await deleteMarks(tx, hours);
  await markLarge(tx, large);
  for (const hour of hours) await computed?.(tx, spanOf(hour));
  return { large, left: locked.slice(tried) };
}

/**
 * Computes some slices of an hour that is too large for one slice. A message that is stored into the hour waits only
 * for these slices. So do readers of events, who wait for all open transactions. The database contains everything that
 * the next step needs, so any process may take it.
 *
 * @returns the hour, and the error if it was postponed; `undefined` if no hour was locked
 * @throws like {@link computeHours}
 */
export async function computeStep(
  deps: HoursDeps,
  work: StepWork,
): Promise<{ hour: DirtyHour; error?: unknown } | undefined> {
  let hour: LargeHour | undefined;
  try {
    await restAfter(() =>
      deps.database.db.transaction().execute(async (tx) => {
        hour = await work.lock(tx);
        if (hour) await takeStep(deps, tx, hour, work);
      }),
    );
    return hour && { hour };
  } catch (error) {
    if (hour === undefined) throw error;
    return { hour, error: await postpone(deps, hour, error) };
  }
}

async function takeStep(
  { clock, sliceBytes }: HoursDeps,
  tx: Tx,
  hour: LargeHour,
  { computed }: StepWork,
): Promise<void> {
  const now = clock.now();
  const { deviceUid, to: end } = spanOf(hour);
  const doneTo = await recomputeNextSlices(tx, hour, now, sliceBytes);
  await computed?.(tx, { deviceUid, from: hour.doneTo, to: doneTo ?? end });
  if (doneTo === undefined) await endSteps(tx, hour, now);
  else await recordStep(tx, hour, doneTo);
}

function spanOf({ device_uid, hour }: DirtyHour): ComputedSpan {
  const from = hour.getTime() * 1_000;
  return { deviceUid: device_uid, from, to: from + HOUR * 1_000 };
}

/** @returns the error */
async function postpone({ database, clock, logger }: HoursDeps, hour: DirtyHour, error: unknown): Promise<unknown> {
  logger.error({ err: error, deviceUid: hour.device_uid, hour: hour.hour }, "an hour of a device cannot be rolled up");
  await postponeHour(database.db, hour, clock.now(), POSTPONED_MS);
  return error;
}
