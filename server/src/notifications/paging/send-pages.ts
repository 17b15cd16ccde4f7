import { shareLockAnomalies } from "../../anomalies/anomalies.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs } from "../../lib/clock.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import { EXPIRY_MS } from "../delivery/back-off.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type DeferredDelivery, insertDeferred } from "../personal/deferred-store.ts";
import { type PersonRow, readPeople } from "../personal/person-store.ts";
import { dutiesAt, type PersonalDuties } from "../roster/personal-duty.ts";
import { anomalyDelivery } from "./anomaly-delivery.ts";
import { divideRecipients, usersOf } from "./divide-recipients.ts";
import { holdBack } from "./hold-back.ts";
import { callLastResortFor } from "./last-resort.ts";
import { hastenNext, lockDuePages, markPages, type PageRow, type PageState } from "./page-store.ts";
import { type PagedAnomaly, readAnomalies } from "./paged-anomaly-store.ts";
import { readGroups } from "./paged-group-store.ts";
import { type PagedGroup, type Recipient, recipientsOf } from "./recipients.ts";
import { type TenantTurn, takeTurn } from "./take-turns.ts";

/**
 * The limits on a tenant's due pages per turn. With a lower minimum, a storm is sent as single messages before there
 * are enough for a digest.
 */
const PER_TENANT = { most: 100, least: 50 };
/** Turns with fewer messages do not count for the pace. */
const MANY_MESSAGES = 100;
/**
 * The target duration of a turn. It is one transaction, and on the embedded database all other statements wait for its
 * end.
 */
const TURN_MS = 50;

/**
 * Turns due pages into messages to the current recipients. One transaction locks the anomalies and inserts the
 * messages, so an acknowledged or resolved anomaly is never paged, and its resolution reaches every recipient of its
 * opening.
 *
 * A step that reaches nobody, or that quiet choices defer for all recipients, makes the group's next step due
 * immediately. Tenants take turns, and turns get shorter after one that took long over many messages.
 *
 * @returns whether more pages may be due
 */
export async function sendPages(deps: NotificationsDeps, turn: TenantTurn): Promise<boolean> {
  return await takeTurn(turn, async (after) => {
    const started = deps.clock.monotonicMs();
    const perTenant = Math.max(PER_TENANT.least, turn.pace.of(PER_TENANT.most));
    const { outcome, messages } = await sendBatch(deps, after, perTenant);
    if (messages > MANY_MESSAGES) turn.pace.record(deps.clock.monotonicMs() - started, TURN_MS);
    for (const [result, pages] of Object.entries(outcome)) deps.metrics.pages.inc({ result }, pages.length);
    const tenants = Object.values(outcome).flatMap((pages) => pages.map((page) => page.tenant_id));
    return tenants.sort().at(-1);
  });
}

type Outcome = Record<PageState | "held", PageRow[]>;

async function sendBatch(
  deps: NotificationsDeps,
  after: string,
  perTenant: number,
): Promise<{ outcome: Outcome; messages: number }> {
  const { clock, ids, logger } = deps;
  return await inTransaction(deps.database.db, async (tx) => {
    const now = clock.now();
    const due = await lockDuePages(tx, now, { after, perTenant });
    const outcome: Outcome = { paged: [], nobody: [], deferred: [], stopped: [], late: [], held: [] };
    if (due.length === 0) return { outcome, messages: 0 };
    const anomalyIds = [...new Set(due.map((page) => page.anomaly_id))];
    await shareLockAnomalies(tx, anomalyIds);
    const { held, describe } = await holdBack(deps, tx, due, await readAnomalies(tx, anomalyIds), now);
    outcome.held = held;
    const pages = due.filter((page) => !held.includes(page));
    const groups = await readGroups(tx, null, [...new Set(pages.map((page) => page.group_id))]);
    const groupById = new Map(groups.map((group) => [group.id, group]));
    const people = await readPeople(tx, usersOf(groups));
    const duties = dutiesAt(now);
    const planned = pages.map((page) => {
      const [anomaly, group] = [describe(page), groupById.get(page.group_id)];
      return { page, ...messagesOf(page, { anomaly, group, people, duties }, now, () => ids.uuid(now)) };
    });
    const deliveries = planned.flatMap((each) => each.deliveries);
    const suppressed = await acceptDeliveries(deps, tx, deliveries, now);
    await insertDeferred(
      tx,
      planned.flatMap((each) => each.deferred),
      now,
    );
    // Admins get a report of suppressed messages, so these pages need no last resort.
    const isSuppressed = (page: PageRow) =>
      planned.some((each) => each.page === page && each.deliveries.some(({ id }) => suppressed.has(id)));
    const isSent = (each: NewDelivery) => !suppressed.has(each.id) && canSend(deps, each);
    for (const each of planned) outcome[stateOf(each, isSent)].push(each.page);
    for (const [state, marked] of Object.entries(outcome))
      if (state !== "held") await markPages(tx, marked, state as PageState);
    await hastenNext(tx, [...outcome.deferred, ...outcome.nobody], now);
    await callLastResortFor(
      deps,
      tx,
      outcome.nobody.filter((page) => !isSuppressed(page)),
      now,
    );
    for (const page of outcome.nobody)
      logger.warn(
        { anomalyId: page.anomaly_id, groupId: page.group_id, notify: page.notify },
        "a page reached nobody: the group has no such people or channels now, or no message can be sent to them",
      );
    await faultPoint("page.commit");
    return { outcome, messages: deliveries.length };
  });
}

/** Returns whether this installation can send the message at all. Without a mail server, e-mails wait. */
function canSend({ settings }: NotificationsDeps, { channel }: NewDelivery): boolean {
  return channel !== "email" || settings.smtp !== undefined;
}

/** Returns the state of a page after its messages were accepted or suppressed. */
function stateOf(
  { ended, deliveries, failing, deferred }: Messages,
  isSent: (each: NewDelivery) => boolean,
): PageState {
  if (ended) return ended;
  if (deliveries.some((each) => isSent(each) && !failing.has(each.id))) return "paged";
  return deferred.length > 0 ? "deferred" : "nobody";
}

interface PageContext {
  anomaly: PagedAnomaly | undefined;
  group: PagedGroup | undefined;
  people: ReadonlyMap<string, PersonRow>;
  duties: PersonalDuties;
}

/** The messages of a page; none if it has ended before. */
interface Messages {
  ended?: "stopped" | "late";
  deliveries: NewDelivery[];
  /** Ids of messages to addresses whose last attempt failed. They are sent, but do not count as reaching anyone. */
  failing: ReadonlySet<string>;
  deferred: DeferredDelivery[];
}

function messagesOf(
  page: PageRow,
  { anomaly, group, people, duties }: PageContext,
  now: Date,
  newId: () => string,
): Messages {
  const none = { deliveries: [], failing: new Set<string>(), deferred: [] };
  if (!anomaly || !group || anomaly.status !== "open") return { ended: "stopped", ...none };
  if (page.due_at < addMs(now, -EXPIRY_MS)) return { ended: "late", ...none };
  const { after_minutes: step, round } = page;
  const messageTo = (to: Recipient) =>
    anomalyDelivery("anomaly.opened", anomaly, group, to, { id: newId(), now, step, round });
  const { severity } = anomaly;
  const divided = divideRecipients(recipientsOf(page.notify, group, now), { severity, group, people, duties }, now);
  const notified = divided.notified.map((to) => ({ to, delivery: messageTo(to) }));
  const failing = new Set(notified.flatMap(({ to, delivery }) => (to.failing ? delivery.id : [])));
  const deferred = divided.deferred.map((each) => ({ delivery: messageTo(each.to), deferred: each.deferred, step }));
  return { deliveries: notified.map(({ delivery }) => delivery), failing, deferred };
}
