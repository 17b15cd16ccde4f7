import { adminUseCase, type Caller, type PreparedChange, useCase, userIdOf } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import { withoutFullMailboxes } from "../cap/full-mailboxes.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { addressesOf, usersOf } from "../paging/divide-recipients.ts";
import { readGroups } from "../paging/paged-group-store.ts";
import { distinct, type Notify, type PagedGroup, type Recipient, recipientsOf } from "../paging/recipients.ts";
import { type PersonRow, readPeople } from "../personal/person-store.ts";
import { lastTest, listTestRows, lockTests } from "./group-test-store.ts";
import { type TestMessage, toTestMessage } from "./test-message.ts";

/** The minimum interval between tests of a group, since each test reaches everyone who is paged. */
const PAUSE_MS = MINUTE;
/** The maximum number of test messages in one answer: those of the last test of a full group. */
const MOST = 500;

/**
 * Sends a test message to everyone whom a step of the group's escalation would page now, along the same path as pages.
 *
 * @returns the number of recipients, and of messages in the queue; fewer if the tenant's messages for this minute or a
 *   mailbox's tests for this day are used up
 * @throws MusterError not_found; invalid_request if the step would have no recipient; rate_limited within a minute of
 *   the last test, and if no mailbox may get a test
 */
export const testGroup = adminUseCase(
  { role: "admin" },
  "group.test",
  async (
    deps: NotificationsDeps,
    caller,
    groupId: string,
    notify: Notify,
  ): Promise<PreparedChange<{ recipients: number; messages: number }>> => {
    if (!isUuid(groupId)) throw notFound("group");
    return {
      change: async (tx) => {
        const now = deps.clock.now();
        const [group] = await readGroups(tx, caller.tenantId, [groupId]);
        if (!group) throw notFound("group");
        await requirePause(tx, groupId, now);
        const people = await readPeople(tx, usersOf([group]));
        const recipients = distinct(addressed(recipientsOf(notify, group, now), people));
        if (recipients.length === 0) throw invalidRequest(NO_RECIPIENT[notify], "notify");
        const to = await withoutFullMailboxes(deps, tx, recipients, now);
        const deliveries = messagesTo(deps, caller, { group, notify, recipients: to }, now);
        await acceptDeliveries(deps, tx, deliveries, now);
        const accepted = await listTestRows(tx, testsOf(caller, groupId), MOST);
        const ids = new Set(deliveries.map(({ id }) => id));
        const messages = accepted.filter(({ id }) => ids.has(id)).length;
        const result = { recipients: recipients.length, messages };
        return { target: groupId, after: { notify, ...result }, result };
      },
    };
  },
);

async function requirePause(tx: Tx, groupId: string, now: Date): Promise<void> {
  await lockTests(tx, groupId);
  const last = await lastTest(tx, groupId);
  const again = last && addMs(last, PAUSE_MS);
  if (again && again > now)
    throw rateLimited("A group is tested at most once a minute.", Math.ceil((again.getTime() - now.getTime()) / 1_000));
}

/** Returns the recipients' addresses. A test also goes to users' own channels, whatever their quiet choices are. */
function addressed(recipients: readonly Recipient[], people: ReadonlyMap<string, PersonRow>): Recipient[] {
  return recipients.flatMap((to) => addressesOf(to, people.get(to.userId ?? "")));
}

function messagesTo(
  { ids }: NotificationsDeps,
  { tenantId, actor }: Caller,
  { group, notify, recipients }: { group: PagedGroup; notify: Notify; recipients: readonly Recipient[] },
  now: Date,
): NewDelivery[] {
  return recipients.map(({ channel, target, userId, timeZone }) => ({
    id: ids.uuid(now),
    tenantId,
    channel,
    target,
    userId,
    groupId: group.id,
    anomalyId: null,
    message: {
      type: "group.test",
      at: now.toISOString(),
      timeZone,
      group: { id: group.id, name: group.name },
      notify,
      requestedBy: actor,
    },
    dedupe: null,
  }));
}

const NO_RECIPIENT: Record<Notify, string> = {
  shift: "No user is currently on duty on the group's shifts.",
  members: "The group has no active member who is present.",
  channels: "The group has no confirmed channel.",
};

const testsOf = (caller: Caller, groupId: string) => ({
  tenantId: caller.tenantId,
  groupId,
  asking: userIdOf(caller),
});

/**
 * Lists the messages of the group's last tests, newest first. They are stored as long as other deliveries. @throws
 * MusterError not_found
 */
export const listGroupTests = useCase(
  { role: "admin" },
  async (deps: NotificationsDeps, caller, groupId: string): Promise<TestMessage[]> => {
    const { db } = deps.database;
    const [group] = isUuid(groupId) ? await readGroups(db, caller.tenantId, [groupId]) : [];
    if (!group) throw notFound("group");
    const rows = await listTestRows(db, testsOf(caller, groupId), MOST);
    return rows.map((row) => toTestMessage(deps, row));
  },
);
