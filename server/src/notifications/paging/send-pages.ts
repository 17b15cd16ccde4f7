import { inTransaction } from "../../db/transaction.ts";
import { addMs } from "../../lib/clock.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { GIVE_UP_MS } from "../delivery/back-off.ts";
import { insertDeliveries, type NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { anomalyDelivery } from "../handle-inbox.ts";
import {
  type AnomalyRow,
  duePages,
  holdAnomalies,
  markPages,
  type PageRow,
  type PageState,
  readGroups,
} from "./page-store.ts";
import { type PagedGroup, recipientsOf } from "./recipients.ts";

const BATCH = 100;

/**
 * Turns the pages that are due into messages to whoever they reach now. In one transaction with a hold on the anomalies:
 * what is acknowledged or resolved pages nobody, and what pages is known to have done so when it is resolved.
 */
export async function pagePeople(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const outcome = Object.entries(await pageBatch(deps));
    for (const [result, pages] of outcome) deps.metrics.pages.inc({ result }, pages.length);
    if (outcome.reduce((sum, [, pages]) => sum + pages.length, 0) < BATCH) return;
  }
}

type Outcome = Record<PageState, PageRow[]>;

async function pageBatch(deps: NotificationsDeps): Promise<Outcome> {
  const { clock, ids, logger } = deps;
  return await inTransaction(deps.database.db, async (tx) => {
    const now = clock.now();
    const pages = await duePages(tx, now, BATCH);
    const outcome: Outcome = { paged: [], nobody: [], stopped: [], late: [] };
    if (pages.length === 0) return outcome;
    const anomalies = byId(await holdAnomalies(tx, [...new Set(pages.map((page) => page.anomaly_id))]));
    const groups = byId(await readGroups(tx, null, [...new Set(pages.map((page) => page.group_id))]));
    const deliveries: NewDelivery[] = [];
    for (const page of pages) {
      const anomaly = anomalies.get(page.anomaly_id);
      const group = groups.get(page.group_id);
      const made = judge(page, anomaly, group, now, () => ids.uuid(now));
      outcome[made.state].push(page);
      deliveries.push(...made.deliveries);
    }
    await insertDeliveries(tx, deliveries, now);
    for (const [state, marked] of Object.entries(outcome)) await markPages(tx, marked, state as PageState);
    for (const page of outcome.nobody)
      logger.warn(
        { anomalyId: page.anomaly_id, groupId: page.group_id, notify: page.notify },
        "a page reaches nobody: the group has no such people now",
      );
    await faultPoint("page.commit");
    return outcome;
  });
}

function judge(
  page: PageRow,
  anomaly: AnomalyRow | undefined,
  group: PagedGroup | undefined,
  now: Date,
  newId: () => string,
): { state: PageState; deliveries: NewDelivery[] } {
  if (!anomaly || !group || anomaly.status !== "open") return { state: "stopped", deliveries: [] };
  if (page.due_at < addMs(now, -GIVE_UP_MS)) return { state: "late", deliveries: [] };
  const step = page.after_minutes;
  const deliveries = recipientsOf(page.notify, group, now).map((to) =>
    anomalyDelivery("anomaly.opened", anomaly, group, to, { id: newId(), now, step }),
  );
  return { state: deliveries.length > 0 ? "paged" : "nobody", deliveries };
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
