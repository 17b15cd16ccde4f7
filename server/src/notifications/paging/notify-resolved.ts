import type { Tx } from "../../db/database.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import { type NewDelivery, notifiedOfOpening } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { anomalyDelivery } from "./anomaly-delivery.ts";
import { readAnomalies } from "./paged-anomaly-store.ts";
import type { Recipient } from "./recipients.ts";

/** Notifies every recipient of an anomaly's opening of its resolution. */
export async function notifyResolved(deps: NotificationsDeps, tx: Tx, anomalyIds: string[]): Promise<void> {
  const { clock, ids } = deps;
  const notified = await notifiedOfOpening(tx, anomalyIds);
  if (notified.length === 0) return;
  const now = clock.now();
  const anomalies = await readAnomalies(tx, anomalyIds);
  const deliveries = notified.flatMap((row): NewDelivery[] => {
    const anomaly = anomalies.get(row.anomaly_id);
    if (!anomaly) return [];
    const to: Recipient = { channel: row.channel, target: row.target, userId: row.user_id, timeZone: row.time_zone };
    const group = { id: row.group_id, name: row.group_name };
    return [anomalyDelivery("anomaly.resolved", anomaly, group, to, { id: ids.uuid(now), now, step: 0 })];
  });
  await acceptDeliveries(deps, tx, deliveries, now);
}
