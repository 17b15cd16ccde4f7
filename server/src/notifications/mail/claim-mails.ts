import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import {
  type ClaimedRow,
  claim,
  dueAddresses,
  foldInto,
  insertDeliveries,
  type Lease,
  lockAddress,
  mailedBetween,
  postpone,
  type WaitingMail,
  waitingMails,
} from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { digestOf, type SingleMessage } from "../message.ts";
import { planMails, WINDOW_MS } from "./digest.ts";

/** How long a process that lives holds a delivery that it sends: longer than an attempt takes. */
const LEASE_MS = MINUTE;

export function leaseOf({ clock, holder }: NotificationsDeps): Lease {
  const now = clock.now();
  return { now, until: addMs(now, LEASE_MS), by: holder() ?? null };
}

/** Takes mails that are due, at most `room`, address by address; what would be too many for one becomes a digest. */
export async function takeMails(deps: NotificationsDeps, room: number): Promise<ClaimedRow[]> {
  const { database, clock } = deps;
  const taken: ClaimedRow[] = [];
  for (const address of await dueAddresses(database.db, clock.now(), room)) {
    const left = room - taken.length;
    if (left === 0) break;
    taken.push(...(await inTransaction(database.db, (tx) => takeOf(deps, tx, address, left))));
  }
  return taken;
}

async function takeOf(deps: NotificationsDeps, tx: Tx, address: string, room: number): Promise<ClaimedRow[]> {
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
  const kept = [...again.slice(plan.again), ...(plan.fresh === "wait" ? fresh : [])];
  // The oldest of the window's leaves it then. Without one the room is taken by what is being sent right now.
  await postpone(tx, idsOf(kept), addMs(sent[0] ?? now, WINDOW_MS));
  return await claim(tx, idsOf(chosen.slice(0, room)), lease);
}

/** @returns the id of the digest that stands for them */
async function fold(deps: NotificationsDeps, tx: Tx, mails: WaitingMail[], now: Date): Promise<string> {
  const messages = mails.flatMap(({ payload }): SingleMessage[] => ("items" in payload ? payload.items : [payload]));
  const total = mails.reduce((sum, { payload }) => sum + ("items" in payload ? payload.total : 1), 0);
  const [first] = mails;
  const id = deps.ids.uuid(now);
  await insertDeliveries(
    tx,
    [
      {
        id,
        tenantId: first!.tenant_id,
        channel: "email",
        target: first!.target,
        userId: first!.user_id,
        groupId: null,
        anomalyId: null,
        message: { ...digestOf(messages, now), total },
        dedupe: null,
      },
    ],
    now,
  );
  await foldInto(tx, id, idsOf(mails), now);
  return id;
}

function idsOf(mails: readonly { id: string }[]): string[] {
  return mails.map(({ id }) => id);
}
