import { CompiledQuery } from "kysely";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Database } from "../types.ts";
import { agree, type OffsetBounds, offsetAt } from "./clock-offset.ts";

const RESYNC_MS = 10_000;
/** At startup the clock is read again if an answer took longer than this, up to `ATTEMPTS` times. */
const PRECISE_MS = 5;
const ATTEMPTS = 5;
/** A backward correction smaller than this stops the clock instead: the times of a process never decrease. */
const STANDSTILL_MS = 2_000;

export interface DatabaseClock extends Clock {
  stop(): void;
}

/**
 * Returns the database server's time, advanced by this machine's monotonic clock and read again every 10 s. Processes
 * whose own clocks are skewed or step still agree whether a claim or certificate has expired, and which of two messages
 * from a device came first. A slow answer changes nothing unless it contradicts the known bounds: its time is only
 * known to lie between request and answer.
 */
export async function databaseClock(database: Database, machine: Clock, logger: Logger): Promise<DatabaseClock> {
  let bounds = await sample(database, machine);
  for (let attempt = 1; attempt < ATTEMPTS && bounds.most - bounds.least > PRECISE_MS; attempt++)
    bounds = agree(bounds, await sample(database, machine));
  let offsetMs = (bounds.least + bounds.most) / 2;
  let latest = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    sample(database, machine).then(
      (fresh) => {
        bounds = agree(bounds, fresh);
        offsetMs = offsetAt(bounds, offsetMs);
      },
      (error: Error) => logger.warn({ err: error.message }, "could not read the database's clock"),
    );
  }, RESYNC_MS).unref();
  return {
    now() {
      const epochMs = offsetMs + machine.monotonicMs();
      latest = latest - epochMs > STANDSTILL_MS ? epochMs : Math.max(latest, epochMs);
      return new Date(latest);
    },
    monotonicMs: () => machine.monotonicMs(),
    stop: () => clearInterval(timer),
  };
}

async function sample(database: Database, machine: Clock): Promise<OffsetBounds> {
  const before = machine.monotonicMs();
  const { rows } = await database.db.executeQuery<{ now: Date }>(CompiledQuery.raw("SELECT clock_timestamp() AS now"));
  const after = machine.monotonicMs();
  const epochMs = rows[0]!.now.getTime();
  // The driver truncates microseconds.
  return { least: epochMs - after, most: epochMs + 1 - before, atMs: after };
}
