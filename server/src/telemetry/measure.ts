import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Ingest } from "./ingest/ingest.ts";
import { countBacklog } from "./roll-up/backlog-store.ts";
import { countDue } from "./roll-up/dirty-hour-store.ts";

export interface MeasureDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ingest: Pick<Ingest, "isolatedTenants" | "queue">;
  metrics: Pick<Metrics, "rollUpsDue" | "rollUpsFailed" | "chunkBacklog" | "telemetryWaiting" | "tenantsIsolated">;
}

/** Sets the gauges of waiting messages, isolated tenants, roll-ups that are due or failed, and days that wait for chunks. */
export async function measure({ database, clock, ingest, metrics }: MeasureDeps): Promise<void> {
  metrics.telemetryWaiting.set(ingest.queue().messages);
  metrics.tenantsIsolated.set(ingest.isolatedTenants());
  metrics.rollUpsDue.remove();
  metrics.rollUpsFailed.remove();
  const { due, failed } = await countDue(database.db, clock.now());
  metrics.rollUpsDue.set(due);
  metrics.rollUpsFailed.set(failed);
  metrics.chunkBacklog.set(await countBacklog(database.db));
}
