import { type RawBuilder, sql } from "kysely";
import { addMs, type Clock, SECOND } from "../lib/clock.ts";

/** Shorter than a statement waits for its answer: what PostgreSQL gets later would be recorded for a device that was answered with 503. */
const LATEST_MS = 2 * SECOND;

/** The time by the clock of the database until which a statement that is sent now may record something. */
export function deadline({ databaseTime }: { databaseTime: Clock["now"] }): Date {
  return addMs(databaseTime(), LATEST_MS);
}

/** A condition: the deadline has not passed; always when null. A statement that was long on its way may be executed after its process has given it up. */
export function isInTime(until: RawBuilder<unknown>, at = sql`clock_timestamp()`): RawBuilder<boolean> {
  return sql`coalesce(${at} <= ${until}::timestamptz, true)`;
}
