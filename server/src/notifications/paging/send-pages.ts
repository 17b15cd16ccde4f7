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
import { anomalyDelivery } from "./anomaly-delivery.ts";
import { divideRecipients, usersOf } from "./divide-recipients.ts";
import { hastenNext, lockDuePages, markPages, type PageRow, type PageState } from "./page-store.ts";
import { type PagedAnomaly, readAnomalies } from "./paged-anomaly-store.ts";
import { readGroups } from "./paged-group-store.ts";
import { type PagedGroup, type Recipient, recipientsOf } from "./recipients.ts";
import { type TenantTurn, takeTurn } from "./take-turns.ts";

/**
 * The limits on a tenant's due pages per turn. A lower minimum would split a storm into several batches, which another
 * process may send one by one before there are enough for a digest.
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
 * A step that quiet choices defer for all recipients makes the group's next step due immediately. Tenants take turns,
 * and turns get shorter after one that took long over many messages.
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

type Outcome = Record<PageState, PageRow[]>;

async function sendBatch(
  deps: NotificationsDeps,
  after: string,
  perTenant: number,
): Promise<{ outcome: Outcome; messages: number }> {
  const { clock, ids, logger } = deps;
  return await inTransaction(deps.database.db, async (tx) => {
    const now = clock.now();
    const pages = await lockDuePages(tx, now, { after, perTenant });
    const outcome: Outcome = { paged: [], nobody: [], deferred: [], stopped: [], late: [] };
    if (pages.length === 0) return { outcome, messages: 0 };
    const anomalyIds = [...new Set(pages.map((page) => page.anomaly_id))];
    await shareLockAnomalies(tx, anomalyIds);
    const anomalies = await readAnomalies(tx, anomalyIds);
    const groups = await readGroups(tx, null, [...new Set(pages.map((page) => page.group_id))]);
    const groupById = new Map(groups.map((group) => [group.id, group]));
    const people = await readPeople(tx, usersOf(groups));
    const deliveries: NewDelivery[] = [];
    const deferred: DeferredDelivery[] = [];
    for (const page of pages) {
      const [anomaly, group] = [anomalies.get(page.anomaly_id), groupById.get(page.group_id)];
      const result = messagesOf(page, { anomaly, group, people }, now, () => ids.uuid(now));
      outcome[result.state].push(page);
      deliveries.push(...result.deliveries);
      deferred.push(...result.deferred);
    }
    await acceptDeliveries(deps, tx, deliveries, now);
    await insertDeferred(tx, deferred, now);
    for (const [state, marked] of Object.entries(outcome)) await markPages(tx, marked, state as PageState);
    await hastenNext(tx, outcome.deferred, now);
    for (const page of outcome.nobody)
      logger.warn(
        { anomalyId: page.anomaly_id, groupId: page.group_id, notify: page.notify },
        "a page has no recipients: the group currently has no such people or confirmed channels",
      );
    await faultPoint("page.commit");
    return { outcome, messages: deliveries.length };
  });
}

interface PageContext {
  anomaly: PagedAnomaly | undefined;
  group: PagedGroup | undefined;
  people: ReadonlyMap<string, PersonRow>;
}

function messagesOf(
  page: PageRow,
  { anomaly, group, people }: PageContext,
  now: Date,
  newId: () => string,
): { state: PageState; deliveries: NewDelivery[]; deferred: DeferredDelivery[] } {
  const none = { deliveries: [], deferred: [] };
  if (!anomaly || !group || anomaly.status !== "open") return { state: "stopped", ...none };
  if (page.due_at < addMs(now, -EXPIRY_MS)) return { state: "late", ...none };
  const step = page.after_minutes;
  const messageTo = (to: Recipient) =>
    anomalyDelivery("anomaly.opened", anomaly, group, to, { id: newId(), now, step });
  const { severity } = anomaly;
  const divided = divideRecipients(recipientsOf(page.notify, group, now), { severity, group, people }, now);
  const deliveries = divided.notified.map(messageTo);
  const deferred = divided.deferred.map((each) => ({ delivery: messageTo(each.to), deferred: each.deferred, step }));
  return { state: deliveries.length > 0 ? "paged" : deferred.length > 0 ? "deferred" : "nobody", deliveries, deferred };
}
