import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs } from "../../lib/clock.ts";
import { type ClaimedRow, claimDeliveries } from "../delivery/claim-store.ts";
import { insertDeliveries } from "../delivery/delivery-store.ts";
import { leaseOf } from "../delivery/lease.ts";
import type { NotificationsDeps } from "../deps.ts";
import { digestOf, type SingleMessage } from "../message.ts";
import {
  dueAddresses,
  foldInto,
  lockAddress,
  mailedBetween,
  postpone,
  type WaitingMail,
  waitingMails,
} from "./mail-queue-store.ts";
import { planMails, WINDOW_MS } from "./plan-mails.ts";

/** Leases mails that are due, at most `room`, address by address; what would be too many for one address becomes a digest. */
export async function claimMails(deps: NotificationsDeps, room: number): Promise<ClaimedRow[]> {
  const { database, clock } = deps;
  const claimed: ClaimedRow[] = [];
  for (const address of await dueAddresses(database.db, clock.now(), room)) {
    const left = room - claimed.length;
    if (left === 0) break;
    claimed.push(...(await inTransaction(database.db, (tx) => claimOf(deps, tx, address, left))));
  }
  return claimed;
}

async function claimOf(deps: NotificationsDeps, tx: Tx, address: string, room: number): Promise<ClaimedRow[]> {
  const lease = leaseOf(deps);
  const { now } = lease;
  if (!(await lockAddress(tx, address))) return [];
  const waiting = await waitingMails(tx, address, now);
  const sent = await mailedBetween(tx, address, addMs(now, -WINDOW_MS), addMs(now, WINDOW_MS));
  const [again, fresh] = [waiting.filter((mail) => mail.maybe_sent), waiting.filter((mail) => !mail.maybe_sent)];
  const plan = planMails({ sent: sent.length, again: again.length, fresh: fresh.length });
  const chosen = again.slice(0, plan.again);
  if (plan.fresh === "each") chosen.push(...fresh);
  if (plan.fresh === "digest") chosen.push({ ...fresh[0]!, id: await fold(deps, tx, fresh, now) });
  const delayed = [...again.slice(plan.again), ...(plan.fresh === "wait" ? fresh : [])];
  // When the oldest mail leaves the window there is room. Without one, the room is used by what is claimed right now.
  await postpone(tx, idsOf(delayed), addMs(sent[0] ?? now, WINDOW_MS));
  return await claimDeliveries(tx, idsOf(chosen.slice(0, room)), lease);
}

/** Combines mails into a digest. @returns its id */
async function fold(deps: NotificationsDeps, tx: Tx, mails: WaitingMail[], now: Date): Promise<string> {
  const messages = mails.flatMap(({ payload }): SingleMessage[] => ("items" in payload ? payload.items : [payload]));
  const total = mails.reduce((sum, { payload }) => sum + ("items" in payload ? payload.total : 1), 0);
  const [first] = mails;
  const id = deps.ids.uuid(now);
  const digest = {
    id,
    tenantId: first!.tenant_id,
    channel: "email" as const,
    target: first!.target,
    userId: first!.user_id,
    groupId: null,
    anomalyId: null,
    message: { ...digestOf(messages, now), total },
    dedupe: null,
  };
  await insertDeliveries(tx, [digest], now);
  await foldInto(tx, id, idsOf(mails), now);
  return id;
}

function idsOf(mails: readonly { id: string }[]): string[] {
  return mails.map(({ id }) => id);
}
