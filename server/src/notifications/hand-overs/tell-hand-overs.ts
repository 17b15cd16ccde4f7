import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { HandOverMessage } from "../message.ts";
import { activeUsers } from "../overrides/override-store.ts";
import { addressesOf } from "../paging/divide-recipients.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { type PersonRow, readPeople } from "../personal/person-store.ts";
import { deferral } from "../quiet.ts";
import { rosterBetween } from "../roster/roster.ts";
import { type KnownDuty, lockDueGroups, recordDuty, watchGroups } from "./hand-over-store.ts";

const BATCH = 50;
/**
 * The longest that a change of shifts, overrides or absences may stay unnoticed; a foreseen hand-over is noticed on
 * time.
 */
const LOOK_MS = 5 * MINUTE;

/** Returns a function that may be called as often as desired; it looks for groups to watch once per clock minute. */
export function watchHandOvers(deps: NotificationsDeps): () => Promise<void> {
  let looked = 0;
  return async () => {
    const now = deps.clock.now();
    const minute = Math.floor(now.getTime() / MINUTE);
    if (minute === looked) return;
    await watchGroups(deps.database.db, now);
    looked = minute;
  };
}

/** Tells both sides, once, that the duty of a group has passed from some people to others. */
export async function tellHandOvers(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const handled = await inTransaction(deps.database.db, (tx) => tellBatch(deps, tx));
    if (handled < BATCH) return;
  }
}

async function tellBatch(deps: NotificationsDeps, tx: Tx): Promise<number> {
  const now = deps.clock.now();
  const due = await lockDueGroups(tx, now, BATCH);
  const groups = await readGroups(
    tx,
    null,
    due.map(({ groupId }) => groupId),
  );
  const byId = new Map(groups.map((group) => [group.id, group]));
  const deliveries: NewDelivery[] = [];
  for (const known of due) {
    const group = byId.get(known.groupId);
    if (group) deliveries.push(...(await handOver(deps, tx, known, group, now)));
  }
  await acceptDeliveries(deps, tx, deliveries, now);
  return due.length;
}

/** Records who is on duty in a group. @returns the messages, if others were before */
async function handOver(
  deps: NotificationsDeps,
  tx: Tx,
  known: KnownDuty,
  group: PagedGroup,
  now: Date,
): Promise<NewDelivery[]> {
  const later = addMs(now, LOOK_MS);
  const spans = rosterBetween(group, now, later);
  const userIds = [
    ...new Set(spans.filter(({ startsAt }) => startsAt <= now).flatMap(({ users }) => users.map(({ id }) => id))),
  ].sort();
  const changes = spans.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]).filter((at) => at > now);
  const nextAt = changes.reduce((first, at) => (at < first ? at : first), later);
  // While nobody is on duty, the next people take over from the last.
  await recordDuty(tx, { ...known, userIds: userIds.length > 0 ? userIds : known.userIds }, nextAt);
  const before = known.userIds;
  if (before === null || userIds.length === 0) return [];
  const concerned = [...before.filter((id) => !userIds.includes(id)), ...userIds.filter((id) => !before.includes(id))];
  if (concerned.length === 0) return [];
  const people = await readPeople(tx, [...before, ...userIds]);
  const emails = (ids: readonly string[]) =>
    ids.flatMap((id) => people.get(id)?.email ?? []).map((email) => ({ email }));
  const active = await activeUsers(tx, known.tenantId, concerned);
  const handOver = { from: emails(before), to: emails(userIds) };
  return [...active.keys()].flatMap((id) => toPerson(deps, known.tenantId, people.get(id)!, { group, handOver, now }));
}

interface Told extends Pick<HandOverMessage, "handOver"> {
  group: PagedGroup;
  now: Date;
}

/** Returns the message by e-mail, which wakes nobody. It waits for the end of the person's quiet hours. */
function toPerson(
  { ids }: NotificationsDeps,
  tenantId: string,
  person: PersonRow,
  { group, handOver, now }: Told,
): NewDelivery[] {
  const { email, user_id: userId } = person;
  const timeZone = person.quietHours?.timeZone ?? group.shifts[0]?.timeZone ?? "UTC";
  const account = { channel: "email", target: email, userId, timeZone, failing: false } as const;
  const addresses = addressesOf(account, person).filter(({ channel }) => channel === "email");
  const message = {
    type: "duty.handed_over",
    at: now.toISOString(),
    timeZone,
    group: { id: group.id, name: group.name },
    handOver,
  } as const;
  const quiet = deferral(person, { severity: "minor", alwaysPages: "none", duty: undefined }, now);
  return (addresses.length > 0 ? addresses : [account]).map(({ channel, target }) => ({
    id: ids.uuid(now),
    ...{ tenantId, channel, target, userId, message, groupId: null, anomalyId: null, dedupe: null },
    ...(quiet?.until ? { notBefore: quiet.until } : {}),
  }));
}
