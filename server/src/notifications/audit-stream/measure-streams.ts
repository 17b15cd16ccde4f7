import type { NotificationsDeps } from "../deps.ts";
import { readLag } from "./stream-store.ts";

/** Sets the gauges of audit entries that wait for their receivers. */
export async function measureStreams({ database, clock, metrics }: NotificationsDeps): Promise<void> {
  const { auditStreamWaiting: waiting, auditStreamOldest: oldest } = metrics;
  waiting.remove();
  oldest.remove();
  const lag = await readLag(database.db);
  waiting.set(lag.waiting);
  oldest.set(lag.since ? Math.max(0, clock.now().getTime() - lag.since.getTime()) / 1000 : 0);
}
