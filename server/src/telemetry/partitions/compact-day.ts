import type { Tx } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { type ComputedSpan, computeHours, computeStep, type HoursDeps } from "../roll-up/compute-hours.ts";
import { lockHoursWithin } from "../roll-up/dirty-hour-store.ts";
import { lockLargeHourWithin } from "../roll-up/large-hour-store.ts";
import { deleteRowsWithin, type MessageDay } from "./retire-store.ts";

/** Kept low, because a batch that stores into one of these hours waits for the commit. */
const HOURS_PER_TRANSACTION = 10;

/**
 * Puts all hours of a day that are marked now into chunks, even if they are not due yet, and deletes their rows. A late
 * message marks its hour again, but leaves no other rows there that would be stored again when the day is dropped.
 *
 * @param isOver whether to leave the rest
 */
export async function compactDay(deps: HoursDeps, day: MessageDay, isOver: () => boolean): Promise<void> {
  const from = new Date(day.day * DAY);
  const marked = { from, to: addMs(from, DAY), markedBy: deps.clock.now() };
  const computed = (tx: Tx, span: ComputedSpan) => deleteRowsWithin(tx, day, span);
  const hours = { lock: (tx: Tx) => lockHoursWithin(tx, marked, HOURS_PER_TRANSACTION), computed };
  const steps = { lock: (tx: Tx) => lockLargeHourWithin(tx, marked), computed };
  while (!isOver() && (await computeHours(deps, hours, isOver)).locked.length > 0);
  while (!isOver() && (await computeStep(deps, steps)) !== undefined);
}
