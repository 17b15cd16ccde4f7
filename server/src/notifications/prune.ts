import { pruneInBatches } from "../db/prune.ts";
import { addMs, DAY } from "../lib/clock.ts";
import { deleteEndedAbsences } from "./absences/absence-store.ts";
import { deleteEndedAside } from "./aside/aside-store.ts";
import { deleteOutages } from "./causes/outage-store.ts";
import { EXPIRY_MS } from "./delivery/back-off.ts";
import { deleteDeliveries, expireDeliveries } from "./delivery/prune-store.ts";
import type { NotificationsDeps } from "./deps.ts";
import { deleteLostFeeds } from "./feeds/feed-store.ts";
import { deleteEndedOverrides } from "./overrides/override-store.ts";
import { deletePages } from "./paging/page-store.ts";
import { deleteEndedChannels, deleteUnnamed } from "./personal/own-channel-store.ts";
import { deleteForgotten } from "./webhooks/webhook-store.ts";
import { deleteEndedWindows } from "./windows/window-store.ts";

/** The time for which pages and deliveries are stored. */
const RETENTION_MS = 30 * DAY;

/**
 * Fails messages that have been pending for a day, and deletes messages, pages, and ended windows, overrides and
 * absences older than 30 days. Also deletes the addresses of former channels: those of users after a day, those of
 * groups' webhooks when due; and the calendars of users who may no longer read them. Must be called every few minutes.
 */
export async function prune(deps: NotificationsDeps): Promise<void> {
  const { db } = deps.database;
  const now = deps.clock.now();
  const expired = await pruneInBatches((limit) => expire(deps, now, limit));
  if (expired > 0) deps.logger.warn({ expired }, "messages could not be delivered within a day");
  const before = addMs(now, -RETENTION_MS);
  await pruneInBatches((limit) => deleteDeliveries(db, before, limit));
  await pruneInBatches((limit) => deletePages(db, before, limit));
  await pruneInBatches((limit) => deleteEndedWindows(db, before, limit));
  await pruneInBatches((limit) => deleteEndedOverrides(db, before, limit));
  await pruneInBatches((limit) => deleteEndedAbsences(db, before, limit));
  await pruneInBatches((limit) => deleteLostFeeds(db, limit));
  await pruneInBatches((limit) => deleteOutages(db, before, limit));
  await pruneInBatches((limit) => deleteEndedAside(db, now, limit));
  await pruneInBatches((limit) => deleteEndedChannels(db, limit));
  await pruneInBatches((limit) => deleteUnnamed(db, addMs(now, -DAY), limit));
  await pruneInBatches((limit) => deleteForgotten(db, now, limit));
}

async function expire({ database, metrics }: NotificationsDeps, now: Date, limit: number): Promise<number> {
  const late = { before: addMs(now, -EXPIRY_MS), now, error: "not delivered within a day", limit };
  const channels = await expireDeliveries(database.db, late);
  for (const channel of channels) metrics.notifications.inc({ channel, result: "failed" });
  return channels.length;
}
