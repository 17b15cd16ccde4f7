import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { insertDeliveries, type NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { adminsOf } from "../notices/notice-store.ts";
import { minuteOf } from "./accept-deliveries.ts";
import { type SuppressedRow, takeSuppressed } from "./admission-store.ts";

const BATCH = 100;

/** @returns a function to call as often as one likes: it reports once in each clock minute, since a minute is reported when it is over */
export function suppressedReports(deps: NotificationsDeps): () => Promise<void> {
  let reported = 0;
  return async () => {
    const minute = minuteOf(deps.clock.now()).getTime();
    if (minute === reported) return;
    await reportSuppressed(deps);
    reported = minute;
  };
}

/** Sends a tenant's admins one e-mail for each minute in which messages were suppressed, once the minute is over. */
async function reportSuppressed(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const reported = await inTransaction(deps.database.db, (tx) => reportBatch(deps, tx));
    if (reported < BATCH) return;
  }
}

async function reportBatch({ clock, ids, limits }: NotificationsDeps, tx: Tx): Promise<number> {
  const now = clock.now();
  const rows = await takeSuppressed(tx, minuteOf(now), BATCH);
  if (rows.length === 0) return 0;
  const admins = await adminsOf(tx, [...new Set(rows.map((row) => row.tenant_id))]);
  const message = ({ minute, suppressed }: SuppressedRow) => ({
    type: "notifications.suppressed" as const,
    at: minute.toISOString(),
    timeZone: "UTC",
    suppressed,
    limit: limits.deliveriesPerMinute,
  });
  const deliveries = rows.flatMap((row) =>
    admins
      .filter((admin) => admin.tenant_id === row.tenant_id)
      .map(
        (admin): NewDelivery => ({
          id: ids.uuid(now),
          tenantId: row.tenant_id,
          channel: "email",
          target: admin.email,
          userId: admin.id,
          groupId: null,
          anomalyId: null,
          dedupe: null,
          message: message(row),
        }),
      ),
  );
  await insertDeliveries(tx, deliveries, now);
  return rows.length;
}
