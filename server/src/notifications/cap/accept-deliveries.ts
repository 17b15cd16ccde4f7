import type { Tx } from "../../db/database.ts";
import { MINUTE } from "../../lib/clock.ts";
import { insertDeliveries, type NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { priorityOf } from "../queues/priority.ts";
import { admit } from "./admission.ts";
import { type CappedMinuteRow, countMinute, knownKeys, lockMinutes } from "./admission-store.ts";

/**
 * Inserts messages about anomalies up to each tenant's limit per minute. The rest is counted, and later reported to the
 * tenant's admins.
 *
 * @returns the ids of the messages that were not inserted because of the limit
 */
export async function acceptDeliveries(
  deps: NotificationsDeps,
  tx: Tx,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (deliveries.length === 0) return new Set();
  const minute = minuteOf(now);
  const byTenant = Map.groupBy(deliveries, ({ tenantId }) => tenantId);
  const counts = await lockMinutes(tx, [...byTenant.keys()], minute, deps.limits.deliveriesPerMinute);
  // Read under the lock: by now, the same message from another process is known and counts only once.
  const known = await knownKeys(
    tx,
    deliveries.flatMap(({ dedupe }) => dedupe ?? []),
  );
  const suppressed = new Set<string>();
  for (const row of counts) {
    const fresh = withoutRepetitions(byTenant.get(row.tenant_id)!, known);
    for (const { id } of await acceptOf(deps, tx, row, fresh, { minute, now })) suppressed.add(id);
  }
  return suppressed;
}

/** Returns the clock minute of a time. */
export function minuteOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / MINUTE) * MINUTE);
}

/** @returns the suppressed messages */
async function acceptOf(
  { metrics, logger }: NotificationsDeps,
  tx: Tx,
  row: CappedMinuteRow,
  fresh: readonly NewDelivery[],
  { minute, now }: { minute: Date; now: Date },
): Promise<NewDelivery[]> {
  const counts = { criticalToChannels: row.critical_to_channels, others: row.others };
  const items = fresh.map((delivery) => ({ delivery, priority: priorityOf(delivery.message, delivery.userId) }));
  const { accepted, suppressed } = admit(items, counts, row.most);
  const { tenant_id } = row;
  await countMinute(tx, {
    tenant_id,
    critical_to_channels: counts.criticalToChannels,
    others: counts.others,
    minute,
    suppressed: suppressed.length,
  });
  await insertDeliveries(
    tx,
    accepted.map(({ delivery }) => delivery),
    now,
  );
  for (const { delivery } of suppressed) metrics.notifications.inc({ channel: delivery.channel, result: "suppressed" });
  if (suppressed.length > 0)
    logger.warn(
      { tenantId: tenant_id, suppressed: suppressed.length },
      "a tenant has reached its limit of messages per minute; further ones are suppressed",
    );
  return suppressed.map(({ delivery }) => delivery);
}

function withoutRepetitions(deliveries: readonly NewDelivery[], known: Set<string>): NewDelivery[] {
  return deliveries.filter(({ dedupe }) => {
    const key = dedupe?.toString("hex");
    if (key === undefined) return true;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}
