import type { NotificationsDeps } from "../deps.ts";
import { readBacklog } from "./delivery-store.ts";

/** What waits to arrive, for whoever watches the service. */
export async function measureBacklog({ database, clock, metrics }: NotificationsDeps): Promise<void> {
  const { notificationsWaiting: waiting, notificationsOldest: oldest } = metrics;
  waiting.reset();
  oldest.reset();
  const now = clock.now();
  const found = new Map((await readBacklog(database.db)).map((row) => [row.channel, row]));
  for (const channel of ["email", "webhook"] as const) {
    const row = found.get(channel);
    waiting.set({ channel }, row?.waiting ?? 0);
    oldest.set({ channel }, row ? Math.max(0, now.getTime() - row.since.getTime()) / 1000 : 0);
  }
}
