import { useCase } from "../../access/access.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, HOUR } from "../../lib/clock.ts";
import { LIMITS } from "../../lib/limits/limits.ts";
import { rateLimited } from "../../lib/request-errors.ts";
import { acceptDeliveries } from "../cap/accept-deliveries.ts";
import { withoutFullMailboxes } from "../cap/full-mailboxes.ts";
import type { NotificationsDeps } from "../deps.ts";
import { addressesOf } from "../paging/divide-recipients.ts";
import { lockOwn } from "../personal/own-channel-store.ts";
import { ownerOf } from "../personal/own-channels.ts";
import { readPeople } from "../personal/person-store.ts";
import { type TestMessage, toTestMessage } from "./test-message.ts";
import { countOwnTests, listOwnTestRows } from "./test-own-store.ts";

/** The maximum number of test messages in one answer. */
const MOST = 20;

/**
 * Sends a test message to every address at which the caller is notified, along the same path as pages. Quiet choices do
 * not defer it.
 *
 * @returns the number of addresses
 * @throws MusterError rate_limited
 */
export const testOwnNotifications = useCase(
  { role: "viewer" },
  async (deps: NotificationsDeps, caller): Promise<{ recipients: number }> => {
    const { tenantId, userId } = ownerOf(caller);
    return await inTransaction(deps.database.db, async (tx) => {
      const now = deps.clock.now();
      await lockOwn(tx, userId);
      const person = (await readPeople(tx, [userId])).get(userId)!;
      const timeZone = person.quietHours?.timeZone ?? "UTC";
      const account = { channel: "email", target: person.email, userId, timeZone, failing: false } as const;
      const message = { type: "user.test", at: now.toISOString(), timeZone, user: { email: person.email } } as const;
      const to = await withoutFullMailboxes(deps, tx, addressesOf(account, person), now);
      await requireRoom(tx, userId, to.length, now);
      const deliveries = to.map(({ channel, target }) => ({
        id: deps.ids.uuid(now),
        ...{ tenantId, channel, target, userId, message, groupId: null, anomalyId: null, dedupe: null },
      }));
      await acceptDeliveries(deps, tx, deliveries, now);
      return { recipients: to.length };
    });
  },
);

/** @throws MusterError rate_limited */
async function requireRoom(tx: Tx, userId: string, messages: number, now: Date): Promise<void> {
  const sent = await countOwnTests(tx, userId, addMs(now, -HOUR));
  if (sent + messages > LIMITS.testsOfUserPerHour.value)
    throw rateLimited("You have sent many test messages. Try again in an hour.", HOUR / 1_000);
}

/** Lists the messages of the caller's last tests, newest first. */
export const listOwnTests = useCase(
  { role: "viewer" },
  async (deps: NotificationsDeps, caller): Promise<TestMessage[]> => {
    const { tenantId, userId } = ownerOf(caller);
    const rows = await listOwnTestRows(deps.database.db, tenantId, userId, MOST);
    return rows.map((row) => toTestMessage(deps, row));
  },
);
