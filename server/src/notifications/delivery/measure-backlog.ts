import { CHANNEL_KINDS } from "../../groups/groups.ts";
import type { NotificationsDeps } from "../deps.ts";
import { readBacklog } from "./delivery-store.ts";

/** Sets the gauges of undelivered messages. */
export async function measureBacklog({ database, clock, metrics }: NotificationsDeps): Promise<void> {
  const { notificationsWaiting: waiting, notificationsOldest: oldest } = metrics;
  waiting.reset();
  oldest.reset();
  const now = clock.now();
  const backlogs = new Map((await readBacklog(database.db)).map((row) => [row.channel, row]));
  for (const channel of CHANNEL_KINDS) {
    const backlog = backlogs.get(channel);
    waiting.set({ channel }, backlog?.waiting ?? 0);
    oldest.set({ channel }, backlog ? Math.max(0, now.getTime() - backlog.since.getTime()) / 1000 : 0);
  }
}
