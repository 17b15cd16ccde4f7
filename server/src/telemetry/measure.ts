import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { IngestQueue } from "./ingest/ingest-shard.ts";
import { countRollUpsDue } from "./measure-store.ts";

export interface MeasureDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  metrics?: Pick<Metrics, "rollUpsDue" | "telemetryWaiting">;
}

/** Sets the gauges of waiting messages and due roll-ups. */
export async function measure({ database, clock, metrics }: MeasureDeps, queue: IngestQueue): Promise<void> {
  if (!metrics) return;
  metrics.telemetryWaiting.set(queue.messages);
  metrics.rollUpsDue.remove();
  metrics.rollUpsDue.set(await countRollUpsDue(database.db, clock.now()));
}
