import { type RawBuilder, sql } from "kysely";
import { addMs, type Clock, SECOND } from "../lib/clock.ts";

/**
 * The lifetime of a statement, shorter than its time limit. PostgreSQL must not record a later arrival for a device
 * that was answered with 503.
 */
const LATEST_MS = 2 * SECOND;

/** Returns the deadline of a statement sent now, by the clock of the database; it may record nothing afterwards. */
export function deadline({ databaseTime }: { databaseTime: Clock["now"] }): Date {
  return addMs(databaseTime(), LATEST_MS);
}

/**
 * SQL condition: the deadline has not passed, or is null. A delayed statement may be executed after its process has
 * given it up.
 */
export function isInTime(until: RawBuilder<unknown>, at = sql`clock_timestamp()`): RawBuilder<boolean> {
  return sql`coalesce(${at} <= ${until}::timestamptz, true)`;
}
