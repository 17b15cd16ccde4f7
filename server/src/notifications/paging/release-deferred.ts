import { shareLockAnomalies } from "../../anomalies/anomalies.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import { type NewDelivery, type NotifiedRow, notifiedOfOpening } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { Hold } from "../holds/hold.ts";
import { type DueDeferredRow, deferLonger, endDeferred, lockDueDeferred } from "../personal/deferred-store.ts";
import { type PersonRow, readPeople } from "../personal/person-store.ts";
import { type Deferral, deferral } from "../quiet.ts";
import { dutiesAt, type PersonalDuties } from "../roster/personal-duty.ts";
import { isIn } from "../roster/roster.ts";
import { anomalyDelivery } from "./anomaly-delivery.ts";
import { divideRecipients, usersOf } from "./divide-recipients.ts";
import { readHolds } from "./hold-back.ts";
import { resolutionTo } from "./notify-resolved.ts";
import { type PagedAnomaly, readAnomalies } from "./paged-anomaly-store.ts";
import { readGroups } from "./paged-group-store.ts";
import type { PagedGroup } from "./recipients.ts";

const BATCH = 100;

/**
 * Sends deferred messages once their quiet choice has ended, or the user's duties or choices have changed. A page is
 * sent if its anomaly is still open, a resolution if the user got the opening. The deferred message stays in the log
 * together with the sent one.
 */
export async function releaseDeferred(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const handled = await inTransaction(deps.database.db, (tx) => releaseBatch(deps, tx));
    if (handled < BATCH) return;
  }
}

interface Context {
  anomalies: ReadonlyMap<string, PagedAnomaly>;
  groups: ReadonlyMap<string, PagedGroup>;
  people: ReadonlyMap<string, PersonRow>;
  duties: PersonalDuties;
  notified: readonly NotifiedRow[];
  holds: ReadonlyMap<string, Hold>;
}

async function releaseBatch(deps: NotificationsDeps, tx: Tx): Promise<number> {
  const now = deps.clock.now();
  const due = await lockDueDeferred(tx, now, BATCH);
  if (due.length === 0) return 0;
  const context = await readContext(tx, due, now);
  const ended: string[] = [];
  const deliveries: NewDelivery[] = [];
  for (const row of due) {
    const { deferred, messages } = consider(deps, row, context, now);
    if (deferred) await deferLonger(tx, row.id, deferred, now);
    else ended.push(row.id);
    deliveries.push(...messages);
  }
  await acceptDeliveries(deps, tx, deliveries, now);
  await endDeferred(tx, ended, now);
  return due.length;
}

async function readContext(tx: Tx, due: readonly DueDeferredRow[], now: Date): Promise<Context> {
  const anomalyIds = [...new Set(due.map((row) => row.anomaly_id))].sort();
  await shareLockAnomalies(tx, anomalyIds);
  const groups = await readGroups(tx, null, [...new Set(due.map((row) => row.group_id))]);
  const anomalies = await readAnomalies(tx, anomalyIds);
  return {
    anomalies,
    groups: new Map(groups.map((group) => [group.id, group])),
    people: await readPeople(tx, usersOf(groups)),
    duties: dutiesAt(now),
    notified: await notifiedOfOpening(tx, anomalyIds),
    holds: (await readHolds(tx, anomalies, now)).held,
  };
}

interface Considered {
  /** The reason the message is deferred further. */
  deferred?: Deferral | undefined;
  messages: NewDelivery[];
}
const NOTHING: Considered = { messages: [] };

/** Decides about a deferred message. A user who has left the group is no longer notified. */
function consider(deps: NotificationsDeps, row: DueDeferredRow, context: Context, now: Date): Considered {
  const anomaly = context.anomalies.get(row.anomaly_id);
  const group = context.groups.get(row.group_id);
  const person = context.people.get(row.user_id);
  if (!anomaly || !group || !person) return NOTHING;
  const [{ severity }, { people, duties }] = [anomaly, context];
  if (row.type === "anomaly.resolved") {
    const deferred = deferral(person, { severity, alwaysPages: group.alwaysPages, duty: undefined }, now);
    if (deferred) return { deferred, messages: [] };
    const mine = context.notified.filter((each) => each.anomaly_id === anomaly.id && each.user_id === row.user_id);
    return { messages: mine.map((each) => resolutionTo(deps, anomaly, each, now)) };
  }
  if (anomaly.status !== "open") return NOTHING;
  const hold = context.holds.get(anomaly.id);
  if (hold) return { deferred: { by: "held", until: hold.until }, messages: [] };
  const away = group.absences.find((each) => each.userId === row.user_id && isIn(each, now));
  if (away) return { deferred: { by: "off_shift", until: new Date(away.endsAt) }, messages: [] };
  const to = {
    channel: "email",
    target: person.email,
    userId: row.user_id,
    timeZone: row.time_zone,
    failing: false,
  } as const;
  const divided = divideRecipients([to], { severity, group, people, duties }, now);
  const step = row.step;
  return {
    deferred: divided.deferred[0]?.deferred,
    messages: divided.notified.map((each) =>
      anomalyDelivery("anomaly.opened", anomaly, group, each, { id: deps.ids.uuid(now), now, step }),
    ),
  };
}
