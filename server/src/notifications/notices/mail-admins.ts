import type { Tx } from "../../db/database.ts";
import { insertDeliveries, type NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { Message } from "../message.ts";
import { adminsOf } from "./notice-store.ts";

/**
 * Sends an e-mail about each row to every active admin of its tenant. The cap on messages about anomalies does not
 * apply.
 */
export async function mailAdmins<Row extends { tenant_id: string }>(
  { ids }: Pick<NotificationsDeps, "ids">,
  tx: Tx,
  rows: readonly Row[],
  messageOf: (row: Row) => Message,
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const admins = Map.groupBy(
    await adminsOf(tx, [...new Set(rows.map((row) => row.tenant_id))]),
    ({ tenant_id }) => tenant_id,
  );
  const deliveries = rows.flatMap((row) =>
    (admins.get(row.tenant_id) ?? []).map(
      (admin): NewDelivery => ({
        id: ids.uuid(now),
        tenantId: row.tenant_id,
        channel: "email",
        target: admin.email,
        userId: admin.id,
        groupId: null,
        anomalyId: null,
        dedupe: null,
        message: messageOf(row),
      }),
    ),
  );
  await insertDeliveries(tx, deliveries, now);
}
