import { addMs, DAY } from "../../lib/clock.ts";
import type { NotificationsDeps } from "../deps.ts";
import { deletePages } from "../paging/page-store.ts";
import { EXPIRY_MS } from "./back-off.ts";
import { deleteDeliveries, expireDeliveries } from "./delivery-store.ts";

/** How long pages and deliveries are stored. */
const RETENTION_MS = 30 * DAY;

/** Fails messages that are pending for a day and deletes what is older than 30 days; to be called every few minutes. */
export async function prune({ database: { db }, clock, logger, metrics }: NotificationsDeps): Promise<void> {
  const now = clock.now();
  const expired = await expireDeliveries(db, addMs(now, -EXPIRY_MS), now, "not delivered within a day");
  for (const channel of expired) metrics.notifications.inc({ channel, result: "failed" });
  if (expired.length > 0) logger.warn({ expired: expired.length }, "messages could not be delivered within a day");
  await deleteDeliveries(db, addMs(now, -RETENTION_MS));
  await deletePages(db, addMs(now, -RETENTION_MS));
}
