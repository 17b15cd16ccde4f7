import type { Database } from "../../db/database.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { markBacklog } from "./backlog-store.ts";
import { claimDirtyHours, listDueTenants } from "./dirty-hour-store.ts";
import { recomputeHours } from "./roll-up-store.ts";

/** Few, because a batch that stores into one of these hours waits for the commit. */
const HOURS_PER_TRANSACTION = 10;
/** Bounds a run, so that the service can stop; the rest is computed by the next run. */
const MAX_HOURS_PER_RUN = 2_000;
/** Likewise; and other jobs on the embedded database get their turn. */
const MAX_MS_PER_RUN = 45 * SECOND;

export interface RollUpDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  /** About how much of an hour is read at once, in bytes. */
  partBytes?: number | undefined;
}

/**
 * Computes the minutes and hours that charts read, of hours that are due, and writes their chunks, in turns between tenants. Then it marks hours of days that
 * were stored before there were chunks. Any number of processes may do so at once; the hours of one that fails stay marked for the others. Call it every minute.
 */
export async function rollUp(deps: RollUpDeps): Promise<void> {
  const { db } = deps.database;
  const run: Run = { end: deps.clock.now().getTime() + MAX_MS_PER_RUN, left: MAX_HOURS_PER_RUN };
  do {
    await rollUpInTurns(deps, run);
    if (isOver(deps, run)) return;
  } while (await markBacklog(db, deps.clock.now()));
}

interface Run {
  end: number;
  /** Hours that it may compute still. */
  left: number;
}

const isOver = ({ clock }: RollUpDeps, { end, left }: Run) => left <= 0 || clock.now().getTime() > end;

/** A tenant that has had its turn is behind all others. */
async function rollUpInTurns(deps: RollUpDeps, run: Run): Promise<void> {
  const { db } = deps.database;
  const waiting = await listDueTenants(db, deps.clock.now(), run.left);
  while (waiting.length > 0 && !isOver(deps, run)) {
    const tenants = waiting.splice(0, HOURS_PER_TRANSACTION);
    const each = Math.floor(HOURS_PER_TRANSACTION / tenants.length);
    const now = deps.clock.now();
    const claimed = await db.transaction().execute(async (tx) => {
      const dirty = await claimDirtyHours(tx, now, tenants, each);
      await recomputeHours(tx, dirty, now, deps.partBytes);
      return Map.groupBy(dirty, ({ tenant_id }) => tenant_id);
    });
    for (const hours of claimed.values()) run.left -= hours.length;
    waiting.push(...tenants.filter((tenant) => claimed.get(tenant)?.length === each));
  }
}
