import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { IngestQueue } from "./ingest-lane.ts";
import { countRollUpsDue, countUnresolved } from "./measure-store.ts";
import { SEVERITIES } from "./rule.ts";

export interface MeasureDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  metrics?: Pick<Metrics, "anomalies" | "rollUpsDue" | "telemetryWaiting">;
}

/** What waits and what is unresolved, for whoever watches the service. */
export async function measure({ database, clock, metrics }: MeasureDeps, queue: IngestQueue): Promise<void> {
  if (!metrics) return;
  metrics.telemetryWaiting.set(queue.messages);
  metrics.anomalies.reset();
  metrics.rollUpsDue.remove();
  const [unresolved, due] = await Promise.all([
    countUnresolved(database.db),
    countRollUpsDue(database.db, clock.now()),
  ]);
  for (const severity of SEVERITIES) metrics.anomalies.set({ severity }, unresolved.get(severity) ?? 0);
  metrics.rollUpsDue.set(due);
}
