import { addMs, DAY } from "../../lib/clock.ts";
import { claimHoursWithin } from "../roll-up/dirty-hour-store.ts";
import type { RollUpDeps } from "../roll-up/roll-up.ts";
import { recomputeHours } from "../roll-up/roll-up-store.ts";
import { deleteRowsOfHour, type MessageDay } from "./retire-store.ts";

/** Few, because a batch that stores into one of these hours waits for the commit. */
const HOURS_PER_TRANSACTION = 10;

/**
 * Puts all hours of a day that are marked now into chunks, also those that are not due yet, and deletes their rows. A late message marks its hour again, but then
 * there are no other rows in it which would be stored again when the day goes.
 *
 * @param isOver whether the rest is to stay
 */
export async function settleDay(
  { database, clock, partBytes }: RollUpDeps,
  day: MessageDay,
  isOver: () => boolean,
): Promise<void> {
  const from = new Date(day.day * DAY);
  const marked = { from, to: addMs(from, DAY), markedBy: clock.now() };
  for (let claimed = 1; claimed > 0 && !isOver(); ) {
    claimed = await database.db.transaction().execute(async (tx) => {
      const hours = await claimHoursWithin(tx, marked, HOURS_PER_TRANSACTION);
      await recomputeHours(tx, hours, clock.now(), partBytes);
      for (const { device_uid: deviceUid, hour } of hours) await deleteRowsOfHour(tx, day, { deviceUid, hour });
      return hours.length;
    });
  }
}
