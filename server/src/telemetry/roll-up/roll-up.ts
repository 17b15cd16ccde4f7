import type { Tx } from "../../db/database.ts";
import { SECOND } from "../../lib/clock.ts";
import { markBacklog } from "./backlog-store.ts";
import { computeHours, type HoursDeps } from "./compute-hours.ts";
import { listDueTenants, lockDirtyHours } from "./dirty-hour-store.ts";

/** Few, because a batch that stores into one of these hours waits for the commit; with fewer, small hours cost more. */
const HOURS_PER_TRANSACTION = 20;
/** Bounds a run, so that tenants whose hours are due by then have their turns; the rest is computed by the next run. */
const MAX_HOURS_PER_RUN = 20_000;
/** Likewise; and other jobs on the embedded database get their turn. */
const MAX_MS_PER_RUN = 45 * SECOND;

/**
 * Computes the minutes and hours that charts read, of hours that are due, and writes their chunks, in turns between tenants. Then it marks hours of days that
 * were stored before there were chunks. Any number of processes may do so at once; the hours of one that ends stay marked for the others. Call it every minute.
 *
 * @param stopped ends the run early
 * @throws the first of the errors for which hours could not be computed, once the others are
 */
export async function rollUp(deps: HoursDeps, stopped?: AbortSignal): Promise<void> {
  const { db } = deps.database;
  const end = deps.clock.now().getTime() + MAX_MS_PER_RUN;
  const run: Run = { end, left: MAX_HOURS_PER_RUN, stopped, errors: [] };
  do await rollUpInTurns(deps, run);
  while (!isOver(deps, run) && (await markBacklog(db, deps.clock.now())));
  if (run.errors.length > 0) throw run.errors[0];
}

interface Run {
  end: number;
  /** Hours that it may compute still. */
  left: number;
  stopped: AbortSignal | undefined;
  /** For which hours could not be computed. */
  errors: unknown[];
}

const isOver = ({ clock }: HoursDeps, { end, left, stopped }: Run) =>
  left <= 0 || stopped?.aborted === true || clock.now().getTime() > end;

/** A tenant that has had its turn is behind all others. */
async function rollUpInTurns(deps: HoursDeps, run: Run): Promise<void> {
  const waiting = await listDueTenants(deps.database.db, deps.clock.now(), run.left);
  while (waiting.length > 0 && !isOver(deps, run)) {
    const tenants = waiting.splice(0, HOURS_PER_TRANSACTION);
    const each = Math.floor(HOURS_PER_TRANSACTION / tenants.length);
    try {
      const claimed = await computeHoursOf(deps, run, tenants, each);
      for (const hours of claimed.values()) run.left -= hours;
      waiting.push(...tenants.filter((tenant) => claimed.get(tenant) === each));
    } catch (error) {
      run.errors.push(error);
    }
  }
}

/** Computes up to `each` hours of each tenant. @returns how many of each */
async function computeHoursOf(
  deps: HoursDeps,
  run: Run,
  tenants: readonly string[],
  each: number,
): Promise<Map<string, number>> {
  const now = deps.clock.now();
  const lock = (tx: Tx) => lockDirtyHours(tx, now, tenants, each);
  const { locked, errors } = await computeHours(deps, { lock }, () => isOver(deps, run));
  run.errors.push(...errors);
  const found = new Map<string, number>();
  for (const { tenant_id } of locked) found.set(tenant_id, (found.get(tenant_id) ?? 0) + 1);
  return found;
}
