import { CompiledQuery } from "kysely";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "./types.ts";

const RESYNC_MS = 10_000;

export interface DatabaseClock extends Clock {
  stop(): void;
}

/**
 * The database server's time, advanced by this machine's monotonic clock and read again every 10 s. Processes whose own clocks are
 * skewed or step still agree whether a claim or certificate has expired.
 */
export async function databaseClock(database: Database, machine: Clock, logger: Logger): Promise<DatabaseClock> {
  let base = await sample(database, machine);
  const timer = setInterval(() => {
    sample(database, machine).then(
      (fresh) => {
        base = fresh;
      },
      (error: Error) => logger.warn({ err: error.message }, "could not read the database's clock"),
    );
  }, RESYNC_MS).unref();
  return {
    now: () => new Date(base.epochMs + machine.monotonicMs() - base.monotonicMs),
    monotonicMs: () => machine.monotonicMs(),
    stop: () => clearInterval(timer),
  };
}

async function sample(database: Database, machine: Clock): Promise<{ epochMs: number; monotonicMs: number }> {
  const before = machine.monotonicMs();
  const { rows } = await database.db.executeQuery<{ now: Date }>(CompiledQuery.raw("SELECT clock_timestamp() AS now"));
  const after = machine.monotonicMs();
  return { epochMs: rows[0]!.now.getTime(), monotonicMs: (before + after) / 2 };
}
