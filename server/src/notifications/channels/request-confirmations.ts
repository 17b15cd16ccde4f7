import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, DAY, HOUR, MINUTE } from "../../lib/clock.ts";
import { linkRoom } from "../cap/full-mailboxes.ts";
import { insertDeliveries, type NewDelivery } from "../delivery/delivery-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import {
  type ChannelAddressRow,
  countUsersLinks,
  lockDueAddresses,
  lockRequests,
  postponeRequest,
  recordRequest,
  type SentLinks,
} from "./channel-address-store.ts";
import { confirmationToken, tokenHash } from "./confirmation-token.ts";

const BATCH = 100;

/**
 * Sends each new channel a link with which its receiver confirms it. The caps on links keep a tenant from annoying
 * receivers who do not want its messages.
 */
export async function requestConfirmations(deps: NotificationsDeps): Promise<void> {
  for (;;) {
    const handled = await inTransaction(deps.database.db, (tx) => requestBatch(deps, tx));
    if (handled < BATCH) return;
  }
}

async function requestBatch(deps: NotificationsDeps, tx: Tx): Promise<number> {
  const now = deps.clock.now();
  const due = await lockDueAddresses(tx, now, BATCH);
  if (due.length === 0) return 0;
  const tenants = await tenantRoom(deps, tx, due, now);
  const mails = due.filter(({ type }) => type === "email").map(({ address }) => address);
  const mailboxes = await linkRoom(deps, tx, mails, now);
  for (const row of due) {
    const left = tenants.get(row.tenant_id)!;
    const until = left > 0 ? await addressFull(deps, tx, row, now) : addMs(now, HOUR);
    if (until) await postpone(deps, tx, row, until);
    else if (row.type === "email" && !mailboxes.use(row.address)) await postpone(deps, tx, row, addMs(now, HOUR));
    else {
      await request(deps, tx, row, now);
      tenants.set(row.tenant_id, left - 1);
    }
  }
  return due.length;
}

/** Returns how many links each tenant may still send this hour. The tenants are locked in the order of their ids. */
async function tenantRoom(
  { limits }: NotificationsDeps,
  tx: Tx,
  due: readonly ChannelAddressRow[],
  now: Date,
): Promise<Map<string, number>> {
  const rooms = new Map<string, number>();
  for (const tenantId of [...new Set(due.map((row) => row.tenant_id))].sort())
    rooms.set(tenantId, limits.confirmationsPerHour - (await lockRequests(tx, tenantId, addMs(now, -HOUR))));
  return rooms;
}

/** Returns when the address may get another link; `undefined` for now. */
async function addressFull(
  { limits }: NotificationsDeps,
  tx: Tx,
  row: ChannelAddressRow,
  now: Date,
): Promise<Date | undefined> {
  const { links, since } = row.user_id === null ? ownLinks(row, now) : await countUsersLinks(tx, row, addMs(now, -DAY));
  return since === null || links < limits.confirmationsPerAddress ? undefined : addMs(since, DAY);
}

function ownLinks(row: ChannelAddressRow, now: Date): SentLinks {
  return isNewDay(row, now) ? { links: 0, since: null } : { links: row.requests, since: row.requests_since };
}

function isNewDay({ requests_since }: ChannelAddressRow, now: Date): boolean {
  return requests_since === null || requests_since <= addMs(now, -DAY);
}

async function postpone({ metrics }: NotificationsDeps, tx: Tx, row: ChannelAddressRow, until: Date): Promise<void> {
  metrics.confirmations.inc({ result: "postponed" });
  await postponeRequest(tx, row, until);
}

async function request(deps: NotificationsDeps, tx: Tx, row: ChannelAddressRow, now: Date): Promise<void> {
  const { ids, limits, metrics, webhookKeys } = deps;
  const confirmation = ids.bytes(16).toString("hex");
  const validMs = row.type === "integration" ? limits.integrationMinutes * MINUTE : limits.confirmationHours * HOUR;
  const expiresAt = addMs(now, validMs);
  const hash = tokenHash(confirmationToken(webhookKeys()[0]!, confirmation));
  await recordRequest(tx, row, { hash, expiresAt }, now, isNewDay(row, now));
  const delivery: NewDelivery = {
    id: ids.uuid(now),
    tenantId: row.tenant_id,
    channel: row.type,
    target: row.address,
    userId: row.user_id,
    groupId: row.group_id,
    anomalyId: null,
    dedupe: null,
    message: {
      type: "channel.confirmation",
      at: now.toISOString(),
      timeZone: "UTC",
      tenant: { name: row.tenant_name },
      ...(row.group_id === null ? {} : { group: { id: row.group_id, name: row.group_name! } }),
      ...(row.user_email === null ? {} : { user: { email: row.user_email } }),
      address: row.address,
      confirmation,
      tokenSha256: hash.toString("hex"),
      expiresAt: expiresAt.toISOString(),
    },
  };
  await insertDeliveries(tx, [delivery], now);
  metrics.confirmations.inc({ result: "requested" });
}
