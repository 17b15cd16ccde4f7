import type { Tx } from "../../db/database.ts";
import { SECOND } from "../../lib/clock.ts";
import { computeHours, computeStep, type HoursDeps } from "./compute-hours.ts";
import { listDueTenants, lockDirtyHours } from "./dirty-hour-store.ts";
import { listLargeTenants, lockLargeHour } from "./large-hour-store.ts";

/**
 * Kept low because a batch that stores into one of these hours waits for the commit; any lower, and small hours cost
 * more.
 */
const HOURS_PER_TRANSACTION = 20;
/** Bounds a run, so that tenants whose hours have become due by then get their turn. The next run computes the rest. */
const MAX_HOURS_PER_RUN = 20_000;
/** Also bounds a run, and lets other jobs on the embedded database get their turn. */
const MAX_MS_PER_RUN = 45 * SECOND;

/**
 * Computes the minutes and hours for charts from due hours, and writes their chunks, in turns between tenants. Any
 * number of processes may run it concurrently; hours of a process that stops remain marked for the others. Must be
 * called every minute.
 *
 * @param stopped ends the run early
 * @throws the first error because of which an hour was not computed, after the others are done
 */
export async function rollUp(deps: HoursDeps, stopped?: AbortSignal): Promise<void> {
  const end = deps.clock.now().getTime() + MAX_MS_PER_RUN;
  const run: Run = { end, left: MAX_HOURS_PER_RUN, stopped, errors: [] };
  await rollUpInTurns(deps, run);
  if (run.errors.length > 0) throw run.errors[0];
}

interface Run {
  end: number;
  /** The number of hours that the run may still compute. */
  left: number;
  stopped: AbortSignal | undefined;
  /** The errors because of which hours were not computed. */
  errors: unknown[];
}

const isOver = ({ clock }: HoursDeps, { end, left, stopped }: Run) =>
  left <= 0 || stopped?.aborted === true || clock.now().getTime() > end;

/**
 * Moves a tenant to the end of the queue after its turn. Hours computed in steps take much longer, so they have turns
 * of their own and at most half of the time while others are due. Otherwise one tenant with a few of them would delay
 * thousands of other hours.
 */
async function rollUpInTurns(deps: HoursDeps, run: Run): Promise<void> {
  const { db } = deps.database;
  const waiting = await listDueTenants(db, deps.clock.now(), run.left);
  const large = new Set(await listLargeTenants(db, deps.clock.now()));
  /** The extra time spent on computing hours together, compared with steps. */
  let aheadMs = 0;
  while (waiting.length + large.size > 0 && !isOver(deps, run)) {
    const isStep = waiting.length === 0 || (large.size > 0 && aheadMs > 0);
    const begun = deps.clock.monotonicMs();
    try {
      if (isStep) await takeStepOf(deps, run, large);
      else await takeTurns(deps, run, waiting, large);
    } catch (error) {
      run.errors.push(error);
    }
    aheadMs += (deps.clock.monotonicMs() - begun) * (isStep ? -1 : 1);
  }
}

/** @param large collects the tenants with an hour that must be computed in steps */
async function takeTurns(deps: HoursDeps, run: Run, waiting: string[], large: Set<string>): Promise<void> {
  const tenants = waiting.splice(0, HOURS_PER_TRANSACTION);
  const each = Math.floor(HOURS_PER_TRANSACTION / tenants.length);
  const now = deps.clock.now();
  const lock = (tx: Tx) => lockDirtyHours(tx, now, tenants, each);
  const done = await computeHours(deps, { lock }, () => isOver(deps, run));
  run.errors.push(...done.errors);
  for (const { tenant_id } of done.large) large.add(tenant_id);
  const claimed = new Map<string, number>();
  for (const { tenant_id } of done.locked) claimed.set(tenant_id, (claimed.get(tenant_id) ?? 0) + 1);
  run.left -= done.locked.length;
  waiting.push(...tenants.filter((tenant) => claimed.get(tenant) === each));
}

async function takeStepOf(deps: HoursDeps, run: Run, large: Set<string>): Promise<void> {
  const [tenant] = large as Iterable<string> as [string];
  large.delete(tenant);
  const now = deps.clock.now();
  const done = await computeStep(deps, { lock: (tx) => lockLargeHour(tx, now, tenant) });
  if (done === undefined) return;
  if (done.error !== undefined) run.errors.push(done.error);
  large.add(tenant);
}
