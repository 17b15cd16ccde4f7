import { inTransaction } from "../db/transaction.ts";
import type { ChannelKind } from "../groups/groups.ts";
import { addMs, HOUR, SECOND } from "../lib/clock.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { untilAborted, withTimeout } from "../lib/timeouts.ts";
import { confirmChannel } from "./channels/confirm-channel.ts";
import { retryAt } from "./delivery/back-off.ts";
import { type ClaimedRow, claimFirst, recordFailed, recordSent } from "./delivery/claim-store.ts";
import { createFairQueue, type FairQueue } from "./delivery/fair-queue.ts";
import { leaseOf } from "./delivery/lease.ts";
import { failed, type Outcome, type Send } from "./delivery/outcome.ts";
import { type NotificationsDeps, randomFraction } from "./deps.ts";
import { requireNewConfirmation } from "./integrations/integration-store.ts";
import { sendIntegration } from "./integrations/send-integration.ts";
import { claimMails } from "./mail/claim-mails.ts";
import type { Mailer } from "./mail/send-mail.ts";
import { escalatePastFailure } from "./paging/last-resort.ts";
import { markReached } from "./paging/unreached-store.ts";
import { disableChannel, hasAddress } from "./personal/own-channel-store.ts";
import { forgetBrowser } from "./personal/own-push-store.ts";
import { createCircuitBreaker } from "./queues/circuit-breaker.ts";
import type { Place } from "./queues/place.ts";
import { createSlots } from "./queues/slots.ts";
import { createWorkerPool, type WorkerPool } from "./queues/worker-pool.ts";
import { sendWebhook } from "./webhooks/send-webhook.ts";
import { readSigning } from "./webhooks/signing-store.ts";
import { disableWebhook } from "./webhooks/webhook-store.ts";

/** Shorter than the lease: a process that leases the message next must not find this one still sending. */
const MAIL_TIMEOUT_MS = 45 * SECOND;

/** The signals to stop claiming messages, and to abandon those in flight. */
export interface StopSignals {
  stop: AbortSignal;
  abandon: AbortSignal;
}

/** Sends due e-mails. Without a mail server they wait, which is logged once. */
export function mailWorkers(deps: NotificationsDeps, mailer: Mailer | undefined, signals: StopSignals): WorkerPool {
  const { mailConnections: total, mailSlotsPerTenant: perTenant } = deps.limits;
  // One mail server sends everything, so a failure says nothing about the address.
  const neverFailing = { failing: () => [] };
  const fair = createFairQueue(deps, "email", createSlots({ total, perTenant, perQueue: perTenant }), neverFailing);
  let warned = false;
  const claim = async (room: number): Promise<ClaimedRow[]> => {
    if (signals.stop.aborted) return [];
    if (mailer) return await claimFrom(fair, room, (places) => claimMails(deps, places));
    if (!warned) deps.logger.warn("MUSTER_SMTP_URL is not set: e-mails are not sent and fail after a day");
    warned = true;
    return [];
  };
  const send: Send = async (row) => {
    const { user_id: userId, target } = row;
    if (userId !== null && !(await hasAddress(deps.database.db, userId, target)))
      return failed("the user has no such address any more", { final: true });
    return await unlessAbandoned(mailer!.send(row), signals.abandon);
  };
  return createWorkerPool(total, claim, async (row) => {
    await attempt(deps, "email", row, send);
    fair.release({ tenantId: row.tenant_id, queue: row.queue });
  });
}

/** Sends due webhooks and messages to integrations. Both kinds share the slots of a tenant and the circuit breaker. */
export function httpWorkers(deps: NotificationsDeps, signals: StopSignals): readonly WorkerPool[] {
  const { limits, metrics } = deps;
  const { webhookSlots: total, webhookSlotsPerTenant: perTenant, webhookSlotsPerTarget: perQueue } = limits;
  const breaker = createCircuitBreaker(limits.webhookFailures, deps.clock);
  const slots = createSlots({ total, perTenant, perQueue });
  metrics.beforeScrape(async () => metrics.webhookTargetsPaused.set(breaker.open()));
  const record = (row: ClaimedRow, outcome: Outcome): Outcome => {
    breaker.record({ tenantId: row.tenant_id, queue: row.queue }, outcome.sent || outcome.final);
    return outcome;
  };
  const sendHook: Send = async (row) => {
    const { disabled, seeds } = await readSigning(deps.database.db, row, deps.clock.now());
    if (disabled) return failed("the webhook is disabled", { final: true });
    const owner = row.user_id === null ? "group" : "user";
    if (!seeds) return failed(`the ${owner} has no such webhook any more`, { final: true });
    const outcome = record(row, await sendWebhook(deps, row, seeds, signals.abandon));
    if (outcome.sent && outcome.echoed !== undefined) await confirmChannel(deps, outcome.echoed, "answer");
    return outcome;
  };
  const sendOther: Send = async (row) => record(row, await sendIntegration(deps, row, signals.abandon));
  const pool = (channel: ChannelKind, send: Send) =>
    httpPool(deps, { channel, send, total, fair: createFairQueue(deps, channel, slots, breaker) }, signals);
  return [pool("webhook", sendHook), pool("integration", sendOther)];
}

function httpPool(
  deps: NotificationsDeps,
  { channel, send, total, fair }: { channel: ChannelKind; send: Send; total: number; fair: FairQueue },
  { stop }: StopSignals,
): WorkerPool {
  const { database } = deps;
  const claim = async (room: number): Promise<ClaimedRow[]> => {
    if (stop.aborted) return [];
    return await claimFrom(fair, room, (places) => claimFirst(database.db, channel, places, leaseOf(deps)));
  };
  return createWorkerPool(total, claim, async (row) => {
    await attempt(deps, channel, row, send);
    fair.release({ tenantId: row.tenant_id, queue: row.queue });
  });
}

/**
 * Claims the first message of each queue whose turn it is. If another process has claimed it, or a window is full, the
 * slot becomes free again and the next queues get their turn.
 */
async function claimFrom(
  fair: FairQueue,
  room: number,
  claim: (places: readonly Place[]) => Promise<ClaimedRow[]>,
): Promise<ClaimedRow[]> {
  const visited = new Set<string>();
  for (;;) {
    const places = await fair.take(room);
    const isNew = places.some(({ queue }) => !visited.has(queue));
    const claimed = await claimOrRelease(fair, places, claim);
    if (claimed.length > 0 || !isNew) return claimed;
    for (const { queue } of places) visited.add(queue);
  }
}

async function claimOrRelease(
  fair: FairQueue,
  places: readonly Place[],
  claim: (places: readonly Place[]) => Promise<ClaimedRow[]>,
): Promise<ClaimedRow[]> {
  let claimed: ClaimedRow[] = [];
  try {
    if (places.length > 0) claimed = await claim(places);
    return claimed;
  } finally {
    const queues = new Set(claimed.map(({ queue }) => queue));
    for (const place of places) if (!queues.has(place.queue)) fair.release(place);
  }
}

/**
 * Sends a message and records the result. If the result cannot be recorded, another attempt under the same id follows
 * when the lease ends.
 */
async function attempt(deps: NotificationsDeps, channel: ChannelKind, row: ClaimedRow, send: Send): Promise<void> {
  const { database, clock, logger } = deps;
  const count = (result: string, times = 1) => deps.metrics.notifications.inc({ channel, result }, times);
  try {
    await faultPoint("deliver.send");
    const outcome = await send(row);
    await faultPoint("deliver.sent");
    const now = clock.now();
    if (outcome.sent) {
      count("sent");
      await recordSent(database.db, row, now);
      return await markReached(database.db, row.id);
    }
    const again = outcome.final ? undefined : nextAttempt(deps, channel, row, { now, after: outcome.retryAfterMs });
    const { error, maybeSent } = outcome;
    count(again ? "retried" : "failed");
    logger.warn({ delivery: row.id, attempt: row.attempts, err: error, again }, "a notification was not delivered");
    await inTransaction(database.db, async (tx) => {
      await recordFailed(tx, row, { error, retryAt: again, maybeSent }, now);
      await escalatePastFailure(deps, tx, row.id, now);
    });
    if (outcome.gone) count("failed", await disable(deps, channel, row, now));
  } catch (error) {
    logger.warn(
      { delivery: row.id, err: (error as Error).message },
      "the result of a delivery attempt was not recorded",
    );
  }
}

/** Disables the delivery's channel, for its group or its user. @returns the number of deliveries that failed */
async function disable(
  { database: { db } }: NotificationsDeps,
  channel: ChannelKind,
  row: ClaimedRow,
  now: Date,
): Promise<number> {
  const { tenant_id: tenantId, user_id: userId, target } = row;
  if (channel === "integration" && userId !== null) return await forgetBrowser(db, userId, target, now);
  if (channel === "integration") return await requireNewConfirmation(db, { tenantId, id: target }, now);
  if (userId === null) return await disableWebhook(db, tenantId, target, now);
  return await disableChannel(db, { tenantId, userId }, target, now);
}

/**
 * Returns the time of the next attempt, which the receiver may postpone by up to an hour. An unconfirmed webhook is
 * called for one hour only, since its server may not want the messages.
 */
function nextAttempt(
  deps: NotificationsDeps,
  channel: ChannelKind,
  row: ClaimedRow,
  { now, after = 0 }: { now: Date; after?: number | undefined },
): Date | undefined {
  const usual = retryAt(row.created_at, row.attempts, now, randomFraction(deps.ids));
  const asked = addMs(now, Math.min(after, HOUR));
  const again = usual && asked > usual ? asked : usual;
  if (channel === "email" || row.payload.type !== "channel.confirmation") return again;
  return again && again <= addMs(row.created_at, HOUR) ? again : undefined;
}

/** Limits the wait for a mail server. Without an answer, it is unknown whether the server accepted the message. */
async function unlessAbandoned(sending: Promise<Outcome>, abandon: AbortSignal): Promise<Outcome> {
  const unanswered = (reason: string) => failed(reason, { maybeSent: true });
  const answered = withTimeout(sending, MAIL_TIMEOUT_MS, () => unanswered("the mail server took too long"));
  return await untilAborted(answered, abandon).catch((error: Error) => {
    if (!abandon.aborted) throw error;
    return unanswered("the service stopped before the mail server answered");
  });
}
