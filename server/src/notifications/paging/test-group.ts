import { adminUseCase, type Caller, type PreparedChange, useCase } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type GroupTestRow, lastTest, listTestRows, lockTests } from "./group-test-store.ts";
import { readGroups } from "./paged-group-store.ts";
import { type Notify, type PagedGroup, recipientsOf } from "./recipients.ts";

/** Tests of one group are at least so far apart: each writes to everyone who is paged. */
const PAUSE_MS = MINUTE;
/** The most messages of tests in one answer: those of the last test to a full group. */
const MOST = 500;

/** One message of a test, as far as it has come. */
export interface GroupTestMessage {
  id: string;
  channel: "email" | "webhook";
  target: string;
  at: Date;
  state: "pending" | "sent" | "failed";
  /** Why the last attempt failed. */
  error: string | null;
}

/**
 * Sends a test message to whom a step of the group's escalation would page now, by the way that pages take.
 *
 * @returns how many messages wait to be sent; fewer than recipients when the tenant's messages of this minute are used up
 * @throws MusterError not_found; invalid_request when the step would have no recipient; rate_limited within a minute of the last test
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
        const [group] = await readGroups(tx, caller.tenantId, [groupId]);
        if (!group) throw notFound("group");
        const now = deps.clock.now();
        await requirePause(tx, groupId, now);
        const deliveries = messagesTo(deps, caller, group, notify, now);
        await acceptDeliveries(deps, tx, deliveries, now);
        const accepted = await listTestRows(tx, caller.tenantId, groupId, MOST);
        const ids = new Set(deliveries.map(({ id }) => id));
        const messages = accepted.filter(({ id }) => ids.has(id)).length;
        const result = { recipients: deliveries.length, messages };
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

/** @throws MusterError invalid_request */
function messagesTo(
  { ids }: NotificationsDeps,
  { tenantId, actor }: Caller,
  group: PagedGroup,
  notify: Notify,
  now: Date,
): NewDelivery[] {
  const recipients = recipientsOf(notify, group, now);
  if (recipients.length === 0) throw invalidRequest(NO_RECIPIENT[notify], "notify");
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
  shift: "No user is on duty now on the group's shifts.",
  members: "The group has no active member.",
  channels: "The group has no confirmed channel.",
};

/** The messages of the group's last tests, newest first. They are kept as long as other deliveries. @throws MusterError not_found */
export const listGroupTests = useCase(
  { role: "admin" },
  async ({ database }: NotificationsDeps, caller, groupId: string): Promise<GroupTestMessage[]> => {
    const [group] = isUuid(groupId) ? await readGroups(database.db, caller.tenantId, [groupId]) : [];
    if (!group) throw notFound("group");
    const rows = await listTestRows(database.db, caller.tenantId, groupId, MOST);
    return rows.map(toMessage);
  },
);

/** One that was combined with others to one mail has come as far as that. */
function toMessage({ created_at: at, last_error: error, state, ...row }: GroupTestRow): GroupTestMessage {
  return { ...row, at, state, error: state === "sent" ? null : error };
}
