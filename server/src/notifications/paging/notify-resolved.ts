import type { Tx } from "../../db/database.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import { type NewDelivery, type NotifiedRow, notifiedOfOpening } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type DeferredDelivery, insertDeferred } from "../personal/deferred-store.ts";
import { type PersonRow, readPeople } from "../personal/person-store.ts";
import { deferral } from "../quiet.ts";
import { anomalyDelivery } from "./anomaly-delivery.ts";
import { type PagedAnomaly, readAnomalies } from "./paged-anomaly-store.ts";
import { readGroups } from "./paged-group-store.ts";
import type { PagedGroup, Recipient } from "./recipients.ts";

/** The input for the resolution messages of some anomalies. */
interface Resolutions {
  notified: NotifiedRow[];
  anomalies: ReadonlyMap<string, PagedAnomaly>;
  groups: ReadonlyMap<string, PagedGroup>;
  people: ReadonlyMap<string, PersonRow>;
}

/**
 * Notifies every recipient of an anomaly's opening of its resolution. Quiet hours defer it as they would a page of the
 * same severity.
 */
export async function notifyResolved(deps: NotificationsDeps, tx: Tx, anomalyIds: string[]): Promise<void> {
  const notified = await notifiedOfOpening(tx, anomalyIds);
  if (notified.length === 0) return;
  const now = deps.clock.now();
  const groups = await readGroups(tx, null, [...new Set(notified.map((row) => row.group_id))]);
  const resolutions: Resolutions = {
    notified,
    anomalies: await readAnomalies(tx, anomalyIds),
    groups: new Map(groups.map((group) => [group.id, group])),
    people: await readPeople(
      tx,
      notified.flatMap((row) => row.user_id ?? []),
    ),
  };
  const { deliveries, deferred } = messagesOf(deps, resolutions, now);
  await acceptDeliveries(deps, tx, deliveries, now);
  await insertDeferred(tx, deferred, now);
}

function messagesOf(
  deps: NotificationsDeps,
  { notified, anomalies, groups, people }: Resolutions,
  now: Date,
): { deliveries: NewDelivery[]; deferred: DeferredDelivery[] } {
  const [deliveries, deferred]: [NewDelivery[], DeferredDelivery[]] = [[], []];
  for (const row of notified) {
    const anomaly = anomalies.get(row.anomaly_id);
    if (!anomaly) continue;
    const delivery = resolutionTo(deps, anomaly, row, now);
    const person = row.user_id === null ? undefined : people.get(row.user_id);
    const alwaysPages = groups.get(row.group_id)?.alwaysPages ?? "critical";
    const until = person && deferral(person, { severity: anomaly.severity, alwaysPages, duty: undefined }, now);
    if (until) deferred.push({ delivery: { ...delivery, target: person.email }, deferred: until, step: 0 });
    else deliveries.push(delivery);
  }
  return { deliveries, deferred };
}

/** Builds the message to one recipient of the opening. */
export function resolutionTo(
  { ids }: Pick<NotificationsDeps, "ids">,
  anomaly: PagedAnomaly,
  row: NotifiedRow,
  now: Date,
): NewDelivery {
  const { channel, target, user_id: userId, time_zone: timeZone } = row;
  const to: Recipient = { channel, target, userId, timeZone, failing: false };
  const group = { id: row.group_id, name: row.group_name };
  return anomalyDelivery("anomaly.resolved", anomaly, group, to, { id: ids.uuid(now), now, step: 0 });
}
