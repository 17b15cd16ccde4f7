import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { Ingest } from "./ingest.ts";
import { countDue } from "./roll-up/dirty-hour-store.ts";

export interface MeasureDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ingest: Pick<Ingest, "isolatedTenants" | "queue">;
  metrics: Pick<Metrics, "rollUpsDue" | "rollUpsFailed" | "telemetryWaiting" | "tenantsIsolated">;
}

/** Sets the gauges for waiting messages, isolated tenants, and due or failed roll-ups. */
export async function measure({ database, clock, ingest, metrics }: MeasureDeps): Promise<void> {
  metrics.telemetryWaiting.set(ingest.queue().messages);
  metrics.tenantsIsolated.set(ingest.isolatedTenants());
  metrics.rollUpsDue.remove();
  metrics.rollUpsFailed.remove();
  const { due, failed } = await countDue(database.db, clock.now());
  metrics.rollUpsDue.set(due);
  metrics.rollUpsFailed.set(failed);
}
