import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs } from "../../lib/clock.ts";
import { type ClaimedRow, claimDelivery } from "../delivery/claim-store.ts";
import { insertDeliveries } from "../delivery/delivery-store.ts";
import { leaseOf } from "../delivery/lease.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { Place } from "../queues/place.ts";
import type { Priority } from "../queues/priority.ts";
import {
  firstCritical,
  foldInto,
  lockQueue,
  mailedBetween,
  oldestMail,
  postpone,
  type QueueAt,
  type WaitingMails,
  waitingMails,
} from "./mail-queue-store.ts";
import { nextMail, WINDOW_MS } from "./plan-mails.ts";

/** Leases one mail of each queue. A queue that must wait for its window yields none. */
export async function claimMails(deps: NotificationsDeps, places: readonly Place[]): Promise<ClaimedRow[]> {
  const claims = await Promise.allSettled(
    places.map((place) => inTransaction(deps.database.db, (tx) => claimOne(deps, tx, place))),
  );
  const claimed = claims.flatMap((claim) => (claim.status === "fulfilled" ? claim.value : []));
  const failure = claims.find((claim) => claim.status === "rejected");
  if (claimed.length === 0 && failure) throw failure.reason;
  return claimed;
}

async function claimOne(deps: NotificationsDeps, tx: Tx, { tenantId, queue }: Place): Promise<ClaimedRow[]> {
  const lease = leaseOf(deps);
  const at = { tenantId, queue, now: lease.now };
  await lockQueue(tx, queue);
  const id = (await firstCritical(tx, at)) ?? (await nextOfWindow(deps, tx, at));
  return id === undefined ? [] : await claimDelivery(tx, id, lease);
}

/** Chooses the next mail that is not a critical page. Mails to channels leave some of the window to people. */
async function nextOfWindow(deps: NotificationsDeps, tx: Tx, at: QueueAt): Promise<string | undefined> {
  const window = { since: addMs(at.now, -WINDOW_MS), until: addMs(at.now, WINDOW_MS) };
  for (const waiting of await waitingMails(tx, at)) {
    const sent = await mailedBetween(tx, at.queue, waiting.priority, window);
    const id = await chosen(deps, tx, at, waiting, sent.length);
    if (id !== undefined) return id;
    // There is room once the oldest mail has left the window.
    await postpone(tx, at, waiting.priority, addMs(sent[0] ?? at.now, WINDOW_MS));
  }
  return undefined;
}

async function chosen(
  deps: NotificationsDeps,
  tx: Tx,
  at: QueueAt,
  { priority, again, fresh }: WaitingMails,
  sent: number,
): Promise<string | undefined> {
  switch (nextMail({ most: deps.limits.mailsPerAddress, sent, again, fresh })) {
    case "again":
      return await oldestMail(tx, at, priority, true);
    case "one":
      return await oldestMail(tx, at, priority, false);
    case "digest":
      return await fold(deps, tx, at, priority);
    case "none":
      return undefined;
  }
}

/** Combines mails into a digest. @returns its id */
async function fold({ ids, limits }: NotificationsDeps, tx: Tx, at: QueueAt, priority: Priority): Promise<string> {
  const { now, tenantId } = at;
  const id = ids.uuid(now);
  const { target, userId, total, items } = await foldInto(tx, id, at, {
    priority,
    limit: limits.digestMessages,
    lines: limits.digestLines,
  });
  const { timeZone } = items[0]!;
  const message = { type: "digest" as const, at: now.toISOString(), timeZone, total, items };
  const to = { channel: "email" as const, target, userId, groupId: null, anomalyId: null };
  await insertDeliveries(tx, [{ id, tenantId, ...to, message, dedupe: null }], now);
  return id;
}
