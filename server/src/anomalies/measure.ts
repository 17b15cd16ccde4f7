import type { Database } from "../db/database.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import { countUnresolved } from "./measure-store.ts";
import { SEVERITIES } from "./severity.ts";

export interface MeasureDeps {
  database: Pick<Database, "db">;
  metrics?: Pick<Metrics, "anomalies">;
}

/** Sets the gauge of unresolved anomalies, by severity. */
export async function measure({ database, metrics }: MeasureDeps): Promise<void> {
  if (!metrics) return;
  metrics.anomalies.reset();
  const unresolved = await countUnresolved(database.db);
  for (const severity of SEVERITIES) metrics.anomalies.set({ severity }, unresolved.get(severity) ?? 0);
}
