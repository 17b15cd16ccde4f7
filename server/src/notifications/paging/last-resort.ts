import { shareLockAnomalies } from "../../anomalies/anomalies.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, SECOND } from "../../lib/clock.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { adminsOf } from "../notices/notice-store.ts";
import { anomalyDelivery } from "./anomaly-delivery.ts";
import { hastenNext, type PageRow } from "./page-store.ts";
import { type PagedAnomaly, readAnomalies } from "./paged-anomaly-store.ts";
import { anomaliesIn, lockUnreached, markUnreached, type UnreachedGroup } from "./unreached-store.ts";

/** The time of failures after which an address's messages are no longer awaited. */
const PATIENCE_MS = 5 * SECOND;

/**
 * Escalates past a delivery whose attempt failed. If its step has now reached nobody, the group's next step is due
 * immediately. The delivery is retried nevertheless.
 */
export async function escalatePastFailure(
  deps: NotificationsDeps,
  tx: Tx,
  deliveryId: string,
  now: Date,
): Promise<void> {
  const pages = await markUnreached(tx, deliveryId);
  const anomalyIds = await anomaliesIn(tx, deliveryId);
  if (anomalyIds.length === 0) return;
  await shareLockAnomalies(tx, anomalyIds);
  await hastenNext(tx, pages, now);
  await callLastResort(deps, tx, anomalyIds, now);
}

/** Calls the last resort for pages that reached nobody, if no step of their anomalies is left. */
export async function callLastResortFor(
  deps: NotificationsDeps,
  tx: Tx,
  pages: readonly PageRow[],
  now: Date,
): Promise<void> {
  if (pages.length > 0) await callLastResort(deps, tx, [...new Set(pages.map((page) => page.anomaly_id))].sort(), now);
}

/** Mails every admin about each open anomaly of which no step is left and that has reached nobody. */
async function callLastResort(deps: NotificationsDeps, tx: Tx, anomalyIds: string[], now: Date): Promise<void> {
  const unreached = await lockUnreached(tx, anomalyIds, addMs(now, -PATIENCE_MS));
  if (unreached.length === 0) return;
  const anomalies = await readAnomalies(
    tx,
    unreached.map((row) => row.anomaly_id),
  );
  const open = unreached.filter((row) => anomalies.get(row.anomaly_id)?.status === "open");
  const admins = await adminsOf(tx, [...new Set(open.map((row) => row.tenant_id))]);
  const messages = open.flatMap((row) =>
    admins
      .filter((admin) => admin.tenant_id === row.tenant_id)
      .map((admin) => lastResortTo(deps, anomalies.get(row.anomaly_id)!, row, admin, now)),
  );
  await acceptDeliveries(deps, tx, messages, now);
}

function lastResortTo(
  { ids }: NotificationsDeps,
  anomaly: PagedAnomaly,
  { group_id: id, group_name: name }: UnreachedGroup,
  admin: { id: string; email: string },
  now: Date,
): NewDelivery {
  const to = { channel: "email", target: admin.email, userId: admin.id, timeZone: "UTC", failing: false } as const;
  return anomalyDelivery("anomaly.opened", anomaly, { id, name }, to, { id: ids.uuid(now), now, step: "last resort" });
}
